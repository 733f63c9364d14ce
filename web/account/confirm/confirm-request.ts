/** A caller is waiting for the user to confirm their identity. */
interface Waiting {
  readonly answer: Promise<boolean>
  readonly settle: (confirmed: boolean) => void
}

let waiting: Waiting | null = null
const watchers = new Set<() => void>()

/** Asks the user to confirm their identity; false if they decline. Concurrent callers share the same answer. */
export function askToConfirm(): Promise<boolean> {
  if (waiting === null) {
    let settle: Waiting['settle'] = () => undefined
    const answer = new Promise<boolean>((resolve) => (settle = resolve))
    waiting = { answer, settle }
    tell()
  }
  return waiting.answer
}

/** The user has confirmed, or closed the dialog. */
export function settleConfirmation(confirmed: boolean): void {
  waiting?.settle(confirmed)
  waiting = null
  tell()
}

export const isConfirmationWanted = (): boolean => waiting !== null

export function watchConfirmation(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

function tell(): void {
  for (const watcher of watchers) watcher()
}
