import { writeFile } from 'node:fs/promises'
import { MODULE_SIZE_LIMIT } from '../../../../contract/modules.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'

/** Writes a body to a file. @throws {AppError} payload_too_large; invalid_request when it ends too early */
export async function receiveBundle(body: AsyncIterable<Uint8Array>, file: string, signal: AbortSignal): Promise<void> {
  async function* limited(): AsyncGenerator<Uint8Array> {
    let size = 0
    for await (const piece of body) {
      size += piece.byteLength
      if (size > MODULE_SIZE_LIMIT) throw new AppError('payload_too_large', say`A bundle may have 128 MiB.`)
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
