/** How long the server may take to confirm that it stopped before the connection is cut. */
const STOP_MS = 700

/** An open connection, and how to end what runs on it. */
export interface ServerConnection {
  /** Asks the server over another connection to stop the running statement. */
  stop(): Promise<void>
  /** Disconnects at once; a running statement then fails. */
  destroy(): void
}

/**
 * Does `work` on a connection and closes it. When `signal` aborts or time runs out, it asks the server to stop the
 * statement, cuts the connection if that fails, and then rejects.
 */
export async function runOnServer<Connection extends ServerConnection, Result>(
  open: (signal: AbortSignal) => Promise<Connection>,
  work: (connection: Connection) => Promise<Result>,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<Result> {
  const deadline = AbortSignal.timeout(timeoutMs)
  const either = AbortSignal.any([signal, deadline])
  const late = () => new Error(`Stopped: it took more than ${timeoutMs / 1000} s.`)
  try {
    either.throwIfAborted()
    const connection = await open(either)
    let cut: NodeJS.Timeout | undefined
    const onAbort = () => {
      cut = setTimeout(() => connection.destroy(), STOP_MS)
      connection.stop().catch(() => connection.destroy())
    }
    either.addEventListener('abort', onAbort, { once: true })
    try {
      either.throwIfAborted()
      return await work(connection)
    } finally {
      either.removeEventListener('abort', onAbort)
      clearTimeout(cut)
      connection.destroy()
    }
  } catch (error) {
    if (error instanceof Error && error.name === 'OutcomeUnknown') throw error
    signal.throwIfAborted()
    throw deadline.aborted ? late() : error
  }
}
