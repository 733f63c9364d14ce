import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { receiveMultipart, type Receiver } from './receive-multipart.ts'

export interface Upload {
  readonly contentType: string
  /** The header x-file-name: the name, percent-encoded as UTF-8. */
  readonly nameHeader: string | undefined
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Finds the one file in the body of an upload request and passes it to `receive`: the raw body with its name in a
 * header, or the field `file` of a form.
 * @throws {AppError} bad_file_name, invalid_request, and what `receive` throws
 */
export async function receiveUpload<T>(upload: Upload, receive: Receiver<T>): Promise<T> {
  if (/^multipart\/form-data\b/i.test(upload.contentType.trim())) {
    return receiveMultipart(upload.contentType.trim(), upload.body, receive)
  }
  if (upload.nameHeader === undefined) {
    throw new AppError(
      'bad_file_name',
      say`Give the name of the file in the header x-file-name, or send a form with the field "file".`,
    )
  }
  return receive(decodeName(upload.nameHeader), upload.body)
}

function decodeName(header: string): string {
  try {
    return decodeURIComponent(header)
  } catch {
    throw new AppError('bad_file_name', say`The header x-file-name is not percent-encoded UTF-8.`)
  }
}
