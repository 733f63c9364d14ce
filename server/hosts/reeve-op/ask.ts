import { DoorShut, type HelperDoor } from './door.ts'

/** Of an answer: its 64 KiB of text, and a list. */
const MOST_BYTES = 1 << 18
/** reeve-op answers within 20 seconds, if only `running`, once it has been started. */
const EXCHANGE_MS = 40_000

/** The connection broke; `sent` tells whether anything can have arrived. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
  readonly sent: boolean
  constructor(sent: boolean, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.sent = sent
  }
}

/** One request and its answer. @throws {DoorShut, ConnectionLost} also when `signal` aborts, or nothing comes in time */
export async function askHelper(door: HelperDoor, request: Buffer, signal: AbortSignal): Promise<Buffer> {
  const ends = AbortSignal.any([signal, AbortSignal.timeout(EXCHANGE_MS)])
  const connection = await door.open(ends).catch((error: unknown) => {
    throw error instanceof DoorShut ? error : new ConnectionLost(false, error)
  })
  const end = (): void => void connection.destroy(ends.reason as Error)
  ends.addEventListener('abort', end, { once: true })
  try {
    // An answer can come before all was taken: what breaks is told by reading.
    connection.once('error', () => undefined).end(request)
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of connection as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > MOST_BYTES) throw new Error('The answer is too long.')
      chunks.push(chunk)
    }
    if (ends.aborted) throw ends.reason
    if (bytes === 0) throw new Error('The connection ended without an answer.')
    return Buffer.concat(chunks)
  } catch (error) {
    throw new ConnectionLost(true, error)
  } finally {
    ends.removeEventListener('abort', end)
    connection.destroy()
  }
}
