/**
 * Does `work` for each item, `atOnce` at a time, in order: one that waits holds up no more than its place. Rejects with the
 * first error, once all are done.
 */
export async function eachOnItsOwn<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values()
  const errors: unknown[] = []
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item).catch((error: unknown) => errors.push(error))
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  if (errors.length > 0) throw errors[0]
}
