/**
 * Does what only holds within one day of UTC, such as reaching a limit; anew where it failed because midnight came in
 * between. `attempt`: for names that may be given once.
 */
export async function withinOneDay(act: (attempt: number) => Promise<void>): Promise<void> {
  const day = today()
  try {
    await act(1)
  } catch (error) {
    if (today() === day) throw error
    await act(2)
  }
}

function today(): string {
  return new Date().toISOString().slice(0, 10)
}
