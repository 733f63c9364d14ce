import { createHash } from 'node:crypto'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'

/** Bytes on their way into the store: counted, hashed, and stopped by the counter. */
export interface MeteredBytes {
  readonly bytes: AsyncIterable<Uint8Array>
  /** How many have passed so far. */
  readonly size: () => number
  /** SHA-256 in hex; call once, at the end. */
  readonly sha256: () => string
}

/**
 * @param onBytes called with the length of each piece and the running total; whatever it throws ends the upload.
 * @param signal aborted when the sender disconnects: half an upload must never look like a whole one.
 */
export function meterBytes(
  source: AsyncIterable<Uint8Array>,
  onBytes: (piece: number, all: number) => void,
  signal?: AbortSignal,
): MeteredBytes {
  const hash = createHash('sha256')
  let size = 0
  async function* meter(): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of source) {
        if (signal?.aborted) break
        size += piece.byteLength
        onBytes(piece.byteLength, size)
        hash.update(piece)
        yield piece
      }
    } catch (error) {
      if (error instanceof AppError) throw error
      throw cutOff(error)
    }
    if (signal?.aborted) throw cutOff(signal.reason)
  }
  return { bytes: meter(), size: () => size, sha256: () => hash.digest('hex') }
}

function cutOff(cause: unknown): AppError {
  return new AppError('invalid_request', say`The upload ended before the file was complete. Send it again.`, { cause })
}
