import { decodeText } from '../decode-text.ts'
import { imageType } from '../image-type.ts'

/** Bytes at the beginning of a file that suffice to identify it. */
export const PREVIEW_HEAD = 16 * 1024

/** Extension → media type of what browsers can safely show in place. */
const SHOWN: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  gif: 'image/gif',
  ico: 'image/vnd.microsoft.icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
}

/** The media type under which a file with this extension is shown; null when it has no preview. */
export function shownAs(extension: string): string | null {
  return Object.hasOwn(SHOWN, extension) ? SHOWN[extension]! : null
}

/** Whether the content matches the media type, judging by its first PREVIEW_HEAD bytes. */
export async function isReally(media_type: string, head: Uint8Array): Promise<boolean> {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  switch (media_type) {
    case 'image/avif':
      return bytes.toString('latin1', 4, 8) === 'ftyp' && /avi[fs]/.test(bytes.toString('latin1', 8, boxEnd(bytes)))
    case 'image/bmp':
      // "BM", and a header of one of the known lengths.
      return (
        bytes.toString('latin1', 0, 2) === 'BM' && bytes.length > 18 && BMP_HEADERS.includes(bytes.readUInt32LE(14))
      )
    case 'image/vnd.microsoft.icon':
      return bytes.length > 22 && bytes.readUInt32LE(0) === 0x00010000 && bytes.readUInt16LE(4) > 0 && bytes[9] === 0
    case 'application/pdf':
      // Viewers tolerate other bytes before it; files written by tools start with it.
      return bytes.subarray(0, 1024).includes('%PDF-')
    case 'image/svg+xml':
      return isSvg(head)
    default:
      return imageType(head) === media_type
  }
}

const BMP_HEADERS = [12, 40, 52, 56, 64, 108, 124]

function boxEnd(bytes: Buffer): number {
  return bytes.length < 4 ? 0 : Math.min(bytes.readUInt32BE(0), 256)
}

/** Whether the first element is `svg`: only declarations, comments and blanks may precede it. */
async function isSvg(head: Uint8Array): Promise<boolean> {
  const decoded = await decodeText(head, head.byteLength === PREVIEW_HEAD)
  if (decoded === null) return false
  let text = decoded.text.replace(/^\ufeff/, '').trimStart()
  for (let before = ''; text !== before;) {
    before = text
    if (text.startsWith('<?')) text = after(text, '?>')
    else if (text.startsWith('<!--')) text = after(text, '-->')
    else if (/^<!doctype/i.test(text)) text = after(text, text.slice(0, 2000).includes('[') ? ']>' : '>')
  }
  return /^<(?:[a-z]\w*:)?svg[\s/>]/i.test(text)
}

function after(text: string, end: string): string {
  const at = text.indexOf(end)
  return at < 0 ? '' : text.slice(at + end.length).trimStart()
}
