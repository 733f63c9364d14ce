/** What was found after an operation, or why nothing was. */
type Afterwards<T> =
  { readonly found: T; readonly why: null } | { readonly found: null; readonly why: string }

/**
 * Looks at what an operation left. That the machine is gone by then does not undo it, and neither does a call that was
 * cancelled meanwhile: what was done is told in any case.
 */
export async function afterwards<T>(look: (signal: AbortSignal) => Promise<T>): Promise<Afterwards<T>> {
  try {
    return { found: await look(new AbortController().signal), why: null }
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    return { found: null, why: `What it is like now could not be looked up: ${said}` }
  }
}
