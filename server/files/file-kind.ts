import type { FileKind } from '../../contract/files.ts'
import { TEXT_EXTENSIONS } from './media-type.ts'

const TABLES = 'csv tsv json jsonl ndjson xlsx xlsm xls xlsb ods parquet sqlite sqlite3 db'.split(' ')

/** What people look for → extensions. An extension belongs to the first kind that lists it. */
const KINDS: Readonly<Record<Exclude<FileKind, 'other' | 'text'>, readonly string[]>> = {
  image: 'png jpg jpeg gif webp avif bmp ico svg heic tif tiff'.split(' '),
  table: TABLES,
  document: 'pdf doc docx odt rtf ppt pptx odp epub md markdown html htm eml'.split(' '),
  media: 'm4a mp3 mp4 ogg wav webm'.split(' '),
  archive: '7z bz2 gz rar tar tgz xz zip zst'.split(' '),
}
const ELSEWHERE = new Set(Object.values(KINDS).flat())
const TEXT = [...TEXT_EXTENSIONS].filter((extension) => !ELSEWHERE.has(extension))

export const KNOWN_EXTENSIONS: readonly string[] = [...ELSEWHERE, ...TEXT]

/** Whether files with this extension are tables, as far as a name can tell. */
export function isTableExtension(extension: string): boolean {
  return TABLES.includes(extension)
}

export function extensionsOf(kind: Exclude<FileKind, 'other'>): readonly string[] {
  return kind === 'text' ? TEXT : KINDS[kind]
}
