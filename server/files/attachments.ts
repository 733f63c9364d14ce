import type { FileEntry } from '../../contract/files.ts'
import type { AttachmentContent, Attachments } from '../chat/ports/attachments.ts'
import { AppError } from '../kernel/app-error.ts'
import { inARow } from '../kernel/joined-sentences.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import { cut } from '../kernel/text/plain-text.ts'
import { decodeText } from './decode-text.ts'
import type { Files } from './files.ts'
import { imageType } from './image-type.ts'
import { isTextExtension } from './media-type.ts'
import { documentFormat } from './parse/document-formats.ts'
import type { DocumentReader } from './parse/document-reader.ts'
import type { FileText } from './parse/file-text.ts'
import { readDocument } from './parse/read-document.ts'
import { readTable } from './parse/table/read-table.ts'
import { tableFormat } from './parse/table/table-formats.ts'
import type { TablePort } from './parse/table/table-port.ts'
import { TextCache } from './parse/text-cache.ts'
import { generatedName, once, saveGenerated } from './save-generated.ts'
import { createTableFiles } from './files-for-tables.ts'

const IMAGE_SIZE_LIMIT = 10 * 1024 * 1024
/** Never read more of a file than this, however much text is requested. */
const TEXT_READ_LIMIT = 16 * 1024 * 1024
/** No encoding needs more bytes per UTF-16 unit; a byte order mark and a character cut in two come on top. */
const BYTES_PER_UNIT = 3
const MARK = 16
/** Bytes that reveal the type of a file. */
const HEAD_SIZE = 1024
const MISSING = say`The content of this file is missing from the storage.`

export interface AttachmentReaders {
  readonly documents: DocumentReader
  /** Null: spreadsheets are not read, and long tables are cut like text. */
  readonly tables: TablePort | null
}

/**
 * Gives a model what it can use of a stored file: text as text, images as bytes, tables as an outline; of anything
 * else, a sentence that says why not.
 */
export function createAttachments(files: Files, { documents, tables }: AttachmentReaders): Attachments {
  const cache = new TextCache()
  const tableFiles = createTableFiles(files)

  function bytesOf(user_id: string, file_id: string): () => AsyncGenerator<Uint8Array> {
    return async function* () {
      yield* (await files.open(user_id, file_id)).stream
    }
  }

  /** What a parser or the table engine makes of the file; null when it is read as plain text, or not at all. */
  async function parse(user_id: string, entry: FileEntry, head: Uint8Array): Promise<FileText | null> {
    const { file_id, size, extension } = entry
    const read = bytesOf(user_id, file_id)
    const format = documentFormat(extension, head)
    if (format !== null) return cache.get(file_id, () => readDocument(documents, user_id, format, size, read))
    const table = tableFormat(extension, size)
    if (tables === null || table === null) return null
    const source = await tableFiles.source(user_id, file_id)
    // With another reading chosen, it is a different table.
    const outline = await cache.get(`${file_id} ${JSON.stringify(source.reading)}`, () =>
      readTable(tables, { ...source, file_id }),
    )
    return outline.text === null && table === 'rather' ? null : outline
  }

  return {
    entries: (user_id, file_ids) => files.entries(user_id, file_ids),
    save: (user_id, run_id, file, hold) => saveGenerated(files, { user_id, run_id, hold }, file),
    keep: (user_id, { files: read, origin, signal, done }) =>
      files.putTogether({
        user_id,
        files: read.map(({ name, media_type, data }) => ({
          name: generatedName(name, media_type),
          bytes: once(data),
          size: data.length,
          origin,
        })),
        done,
        signal,
      }),
    async copy(from, { user_id, hold }) {
      const { origin } = await files.entry(from.user_id, from.file_id)
      const { stream, size, name } = await files.open(from.user_id, from.file_id)
      const { file_id, extension, media_type } = await files.put({ user_id, hold, name, size, origin, bytes: stream })
      return { file_id, name, media_type, size, extension, ...(origin && { origin }) }
    },
    async read(user_id, file_id, max, { signal, language = 'en' } = {}) {
      const entry = { ...(await files.entry(user_id, file_id)), language }
      // Goes by the first bytes, not by the name: a provider refuses the whole request for an image that isn't one.
      const head = await files.head(user_id, file_id, HEAD_SIZE)
      if (head === null) return unread(entry, 'failed', MISSING)
      const image = imageType(head)
      if (image !== null) {
        if (entry.size > IMAGE_SIZE_LIMIT)
          return unread(entry, 'unsupported', say`Images over 10 MB are not shown to the AI engine.`)
        const data = await files.head(user_id, file_id, IMAGE_SIZE_LIMIT)
        if (data === null) return unread(entry, 'failed', MISSING)
        return { ...parsed(entry, 'image', 0), text: null, image: { media_type: image, data }, truncated: false }
      }
      try {
        const found = await unlessAborted(parse(user_id, entry, head), signal)
        if (found !== null) return fromParser(entry, found, Math.max(max, 0))
      } catch (error) {
        if (error instanceof AppError && error.code === 'not_found') return unread(entry, 'failed', MISSING)
        throw error
      }
      if (!isTextExtension(entry.extension)) return unread(entry, 'unsupported', whyUnsupported(entry))
      return readText(files, user_id, entry, max)
    },
  }
}

/** An entry, with the language in which its reader is told about it. */
type ReadEntry = FileEntry & { readonly language: string }

function detailOf(notes: readonly Sentence[], { language }: ReadEntry): { detail?: string } {
  const [first, ...others] = notes
  return first === undefined ? {} : { detail: inARow([first, ...others]).in(language) }
}

/** Rejects as soon as `signal` is aborted. The work continues, within its own limits, for whoever asks next. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(new Error('Stopped while a file was read'))
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function fromParser(entry: ReadEntry, found: FileText, max: number): AttachmentContent {
  const { file_id, name } = entry
  const { parser, status, text, pages, sheets, detail } = found
  const shown = text === null ? null : cut(text, max)
  const cutOff = shown !== null && shown.length < text!.length
  const notes = [...(detail === undefined ? [] : [detail]), ...(cutOff ? [firstOnly(shown.length)] : [])]
  return {
    parsing: {
      file_id,
      name,
      parser,
      status: cutOff ? 'partial' : status,
      characters: shown?.length ?? 0,
      ...(pages === undefined ? {} : { pages }),
      ...(sheets === undefined ? {} : { sheets }),
      ...detailOf(notes, entry),
    },
    text: shown,
    image: null,
    truncated: shown !== null && (cutOff || status === 'partial'),
  }
}

async function readText(files: Files, user_id: string, entry: ReadEntry, max: number): Promise<AttachmentContent> {
  const limit = Math.min(Math.max(max, 0) * BYTES_PER_UNIT + MARK, TEXT_READ_LIMIT)
  const bytes = await files.head(user_id, entry.file_id, limit)
  if (bytes === null) return unread(entry, 'failed', MISSING)
  const cutOff = bytes.byteLength < entry.size
  const decoded = await decodeText(bytes, cutOff)
  if (decoded === null) {
    return unread(entry, 'failed', say`The name says that this file is text, but its content is not.`)
  }
  const text = cut(decoded.text, Math.max(max, 0))
  const truncated = cutOff || text.length < decoded.text.length
  const notes = [
    ...(truncated ? [firstOnly(text.length)] : []),
    ...(decoded.guessed ? [say`It does not say which encoding it uses; it was read as ${decoded.encoding}.`] : []),
    ...(decoded.broken > 0 ? [say`Characters that could not be decoded: ${decoded.broken}.`] : []),
  ]
  const { parsing } = parsed(entry, 'text', text.length)
  return {
    parsing: {
      ...parsing,
      status: truncated || decoded.broken > 0 ? 'partial' : 'parsed',
      ...detailOf(notes, entry),
    },
    text,
    image: null,
    truncated,
  }
}

function firstOnly(characters: number): Sentence {
  return say`Only the first ${characters} characters were read.`
}

function parsed(entry: FileEntry, parser: 'text' | 'image', characters: number): Pick<AttachmentContent, 'parsing'> {
  return { parsing: { file_id: entry.file_id, name: entry.name, parser, status: 'parsed', characters } }
}

function unread(entry: ReadEntry, status: 'unsupported' | 'failed', why: Sentence): AttachmentContent {
  const { file_id, name } = entry
  const detail = why.in(entry.language)
  return {
    parsing: { file_id, name, parser: status === 'failed' ? 'text' : 'none', status, characters: 0, detail },
    text: null,
    image: null,
    truncated: false,
  }
}

function whyUnsupported(entry: FileEntry): Sentence {
  if (/^(png|jpe?g|gif|webp)$/.test(entry.extension))
    return say`The name says that this file is an image, but its content is not.`
  if (/^(doc|dot|ppt|pps)$/.test(entry.extension))
    return say`Files of the old type .${entry.extension} cannot be read. Save it as .${entry.extension.startsWith('d') ? 'docx' : 'pptx'} and upload it again.`
  return say`Files of the type .${entry.extension} cannot be read yet.`
}
