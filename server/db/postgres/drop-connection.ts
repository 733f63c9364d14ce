import type pg from 'pg'

/** Closes a connection without waiting for the other end, which may not be there. Whoever waits for an answer gets `why`. */
export function dropConnection(client: pg.ClientBase, why?: Error): void {
  const { stream } = (client as unknown as { connection: { stream: { destroy(error?: Error): void } } }).connection
  stream.destroy(why)
}
