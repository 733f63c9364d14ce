import type { FileAnswer } from '../../../contract/route.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import type { Files } from '../files.ts'
import { isReally, PREVIEW_HEAD, shownAs } from './preview-type.ts'
import type { Thumbnails } from './thumbnails.ts'

/** Larger images are not scaled down here. */
const THUMBNAIL_LIMIT = 64 * 1024 * 1024
/** A larger drawing takes too long to render: it is text. */
const SVG_LIMIT = 4 * 1024 * 1024
/** No decoder here reads these; they are shown unchanged, whatever the width. */
const AS_THEY_ARE = ['image/bmp', 'image/vnd.microsoft.icon']

export type Preview = (user_id: string, file_id: string, width: number | undefined) => Promise<FileAnswer>

/**
 * Creates the preview of a stored file: the file itself if a browser can show it, under the media type of its
 * extension, or a thumbnail (WebP) of at most `width` pixels. A file whose content contradicts its extension isn't
 * shown.
 * The preview throws {AppError} not_found, no_preview.
 */
export function createPreview(files: Files, thumbnails: Thumbnails): Preview {
  return async (user_id, file_id, width) => {
    const { extension } = await files.entry(user_id, file_id)
    const media_type = shownAs(extension)
    if (media_type === null) throw noPreview(say`Files of this type are not shown. Download it instead.`)
    const answer = await files.open(user_id, file_id)
    const head = await files.head(user_id, file_id, PREVIEW_HEAD)
    if (head === null || !(await isReally(media_type, head)))
      throw noPreview(say`The name says .${extension}, but the content is something else. Download it instead.`)
    if (width === undefined || AS_THEY_ARE.includes(media_type)) return { ...answer, media_type }
    if (media_type === 'application/pdf') throw noPreview(say`There are no thumbnails of PDF files.`)
    const drawing = media_type === 'image/svg+xml'
    if (answer.size > (drawing ? SVG_LIMIT : THUMBNAIL_LIMIT)) throw noPreview(TOO_LARGE)
    const { stored_as, path } = await files.locate(user_id, file_id)
    const made = await thumbnails.get(stored_as, width, {
      owner: user_id,
      path,
      drawing,
      stream: () => files.bytes(stored_as),
    })
    if (made === 'too_large') throw noPreview(TOO_LARGE)
    if (made === 'unreadable') throw noPreview(say`This image is damaged. Download it instead.`)
    return { name: `${answer.name}.webp`, media_type: 'image/webp', size: made.byteLength, stream: once(made) }
  }
}

const TOO_LARGE = say`This image is too large for a thumbnail. Open or download it instead.`

function noPreview(message: Sentence): AppError {
  return new AppError('no_preview', message)
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes)
}
