import { writeFile } from 'node:fs/promises'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import type { UnpackOptions } from '../../bundle/archive/unpack-bundle.ts'
import type { CatalogueContext } from '../catalogue-context.ts'

const MIB = 1024 * 1024

/** The limits that a bundle is unpacked with. */
export function sizeLimits({
  limits: { packedBytes, unpackedBytes },
}: Pick<CatalogueContext, 'limits'>): UnpackOptions {
  return { packedBytes, unpackedBytes }
}

/**
 * Writes a body of at most `most` bytes to a file.
 * @throws {AppError} payload_too_large; invalid_request when it ends too early
 */
export async function receiveBundle(
  body: AsyncIterable<Uint8Array>,
  file: string,
  most: number,
  signal: AbortSignal,
): Promise<void> {
  async function* limited(): AsyncGenerator<Uint8Array> {
    let size = 0
    for await (const piece of body) {
      size += piece.byteLength
      if (size > most)
        throw new AppError('payload_too_large', say`A bundle can be at most ${Math.floor(most / MIB)} MiB.`)
      yield piece
    }
    // Half a bundle must never pass for a whole one.
    if (signal.aborted) throw cutOff(signal.reason)
  }
  try {
    await writeFile(file, limited(), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (error instanceof AppError || !isConnectionError(error)) throw error
    throw cutOff(error)
  }
}

function cutOff(cause: unknown): AppError {
  return new AppError('invalid_request', say`The upload ended before the bundle was complete. Send it again.`, {
    cause,
  })
}

function isConnectionError(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ABORT_ERR'
}
