import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyFileStream } from '@fastify/busboy'
import { AppError } from '../kernel/app-error.ts'
import { say, type Sentence } from '../kernel/sentence.ts'

/** Takes a file: its name as sent, unchecked, and its bytes, which fail if the form turns out to be invalid. */
export type Receiver<T> = (name: string, bytes: AsyncIterable<Uint8Array>) => Promise<T>

interface FilePart {
  readonly name: string
  readonly stream: BusboyFileStream
}

/**
 * Reads, as a stream, a form with one file in the field `file` and nothing else: `receive` runs while the body is still
 * arriving, and whatever follows the file is checked before its bytes end.
 * @throws {AppError} invalid_request for any other form, and what `receive` or the body throws
 */
export async function receiveMultipart<T>(
  contentType: string,
  body: AsyncIterable<Uint8Array>,
  receive: Receiver<T>,
): Promise<T> {
  const parser = openParser(contentType)
  const stop = new AbortController()
  let stream: BusboyFileStream | undefined
  let problem: AppError | undefined
  const refuse = (detail: Sentence) => {
    problem ??= invalid(detail)
    stop.abort()
    stream?.destroy(problem)
  }
  parser.on('field', () => refuse(say`The form may hold only the field "file".`))
  parser.on('filesLimit', () => refuse(say`The form may hold only one file.`))
  parser.on('fieldsLimit', () => refuse(say`The form may hold only the field "file".`))
  parser.on('partsLimit', () => refuse(say`The form may hold only the field "file".`))

  let bodyError: Error | undefined
  const watched = watchErrors(body, (error) => (bodyError = error))
  const found = Promise.withResolvers<FilePart>()
  parser.on('file', (field, file, name) => {
    stream = file
    // Without a listener, an error of the form would end the process; the reader of the stream gets it anyway.
    file.on('error', () => {})
    if (problem) file.destroy(problem)
    else if (field !== 'file') refuse(say`The file must be in the field "file".`)
    else if (name === undefined) refuse(say`The file in the form needs a name.`)
    else found.resolve({ name, stream: file })
  })
  const whyFailed = (error: unknown) => problem ?? bodyError ?? invalid(say`The form is malformed or cut off.`, error)
  const parsed = pipeline(Readable.from(watched, { objectMode: false }), parser, { signal: stop.signal }).then(
    () => found.reject(problem ?? invalid(say`The form holds no file in the field "file".`)),
    (error: unknown) => {
      const reason = whyFailed(error)
      found.reject(reason)
      stream?.destroy(reason)
      throw reason
    },
  )
  // It is awaited below, but possibly after it has failed.
  parsed.catch(() => {})

  try {
    const file = await found.promise
    return await receive(
      file.name,
      partBytes(file.stream, parsed, () => problem),
    )
  } finally {
    stop.abort()
    stream?.destroy()
  }
}

/** The bytes of the part; they end only once the whole form has been read and found valid. */
async function* partBytes(
  stream: BusboyFileStream,
  parsed: Promise<void>,
  problem: () => AppError | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of stream as AsyncIterable<Uint8Array>) yield piece
  } catch (error) {
    // The parser's own error says less than what made the form fail.
    await parsed
    throw problem() ?? error
  }
  await parsed
  const wrong = problem()
  if (wrong) throw wrong
}

async function* watchErrors(body: AsyncIterable<Uint8Array>, seen: (error: Error) => void): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of body) yield piece
  } catch (error) {
    seen(error instanceof Error ? error : new Error('The body failed', { cause: error }))
    throw error
  }
}

function openParser(contentType: string): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      // The name is checked by our own rules, not repaired by the parser's.
      preservePath: true,
      limits: { files: 1, fields: 1, parts: 4, fieldSize: 1024, headerPairs: 32, headerSize: 16 * 1024 },
    })
  } catch (error) {
    throw invalid(say`The form has no boundary in its content type.`, error)
  }
}

function invalid(detail: Sentence, cause?: unknown): AppError {
  return new AppError('invalid_request', detail, { errors: [{ path: 'file', message: detail }], cause })
}
