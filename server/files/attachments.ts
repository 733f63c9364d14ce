import type { FileEntry } from '../../contract/files.ts'
import type { AttachmentContent, Attachments } from '../chat/attachments.ts'
import { cut } from '../kernel/text.ts'
import { decodeText } from './decode-text.ts'
import type { Files } from './files.ts'
import { imageType } from './image-type.ts'
import { saveGenerated } from './save-generated.ts'
import { isTextExtension } from './media-type.ts'

const IMAGE_SIZE_LIMIT = 10 * 1024 * 1024
/** However much text is asked for, no more of a file than this is read. */
const TEXT_READ_LIMIT = 16 * 1024 * 1024
/** No encoding needs more bytes for one UTF-16 unit; a byte order mark and a character cut in two come on top. */
const BYTES_PER_UNIT = 3
const HEAD_SIZE = 16
const MISSING = 'The content of this file is missing from the storage.'

/** What a model gets to see of a stored file: text as text, pictures as bytes, of the rest a sentence that says why not. */
export function createAttachments(files: Files): Attachments {
  return {
    entries: (user_id, file_ids) => files.entries(user_id, file_ids),
    save: (user_id, run_id, file) => saveGenerated(files, user_id, run_id, file),
    async read(user_id, file_id, max) {
      const entry = await files.entry(user_id, file_id)
      // By its first bytes and not by its name: a provider refuses the whole request for a picture that is none.
      const head = await files.head(user_id, file_id, HEAD_SIZE)
      if (head === null) return unread(entry, 'failed', MISSING)
      const image = imageType(head)
      if (image !== null) {
        if (entry.size > IMAGE_SIZE_LIMIT)
          return unread(entry, 'unsupported', 'Images over 10 MB are not shown to the AI engine.')
        const data = await files.head(user_id, file_id, IMAGE_SIZE_LIMIT)
        if (data === null) return unread(entry, 'failed', MISSING)
        return { ...parsed(entry, 'image', 0), text: null, image: { media_type: image, data }, truncated: false }
      }
      if (!isTextExtension(entry.extension)) return unread(entry, 'unsupported', whyUnsupported(entry))
      return readText(files, user_id, entry, max)
    },
  }
}

async function readText(files: Files, user_id: string, entry: FileEntry, max: number): Promise<AttachmentContent> {
  const limit = Math.min(Math.max(max, 0) * BYTES_PER_UNIT + HEAD_SIZE, TEXT_READ_LIMIT)
  const bytes = await files.head(user_id, entry.file_id, limit)
  if (bytes === null) return unread(entry, 'failed', MISSING)
  const cutOff = bytes.byteLength < entry.size
  const decoded = decodeText(bytes, cutOff)
  if (decoded === null) {
    return unread(entry, 'failed', 'The name says that this file is text, but its content is not.')
  }
  const text = cut(decoded.text, Math.max(max, 0))
  const truncated = cutOff || text.length < decoded.text.length
  const notes = [
    truncated ? `Only the first ${text.length} characters were read.` : '',
    decoded.broken > 0 ? `${decoded.broken} characters could not be decoded.` : '',
  ].filter((note) => note !== '')
  const { parsing } = parsed(entry, 'text', text.length)
  return {
    parsing: notes.length > 0 ? { ...parsing, status: 'partial', detail: notes.join(' ') } : parsing,
    text,
    image: null,
    truncated,
  }
}

function parsed(entry: FileEntry, parser: 'text' | 'image', characters: number): Pick<AttachmentContent, 'parsing'> {
  return { parsing: { file_id: entry.file_id, name: entry.name, parser, status: 'parsed', characters } }
}

function unread(entry: FileEntry, status: 'unsupported' | 'failed', detail: string): AttachmentContent {
  const { file_id, name } = entry
  return {
    parsing: { file_id, name, parser: status === 'failed' ? 'text' : 'none', status, characters: 0, detail },
    text: null,
    image: null,
    truncated: false,
  }
}

function whyUnsupported(entry: FileEntry): string {
  if (/^(png|jpe?g|gif|webp)$/.test(entry.extension))
    return 'The name says that this file is an image, but its content is not.'
  return `Files of the type .${entry.extension} cannot be read yet.`
}
