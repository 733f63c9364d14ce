import { open } from 'node:fs/promises'
import { xmlAttributes } from './xml-text.ts'
import { openZipParts, type ZipParts } from './zip-parts.ts'

/** What a container file is: `encrypted` is a password-protected workbook, `legacy` one of the formats before 2007. */
export type PackageFormat = 'xlsx' | 'ods' | 'xlsb' | 'legacy' | 'encrypted' | 'other'

const TYPES = '[Content_Types].xml'

/** For a zip. Reads little more than its directory. */
export async function zipFormat(path: string, head: Buffer): Promise<PackageFormat> {
  await using parts = await openZipParts(path)
  if (parts.has('xl/workbook.bin')) return 'xlsb'
  if (parts.names.some((name) => /^xl\//i.test(name))) return 'xlsx'
  const declared = parts.has(TYPES) ? await declaredFormat(parts) : null
  if (declared !== null) return declared
  // The kind of document is uncompressed at the beginning of the file.
  const kind = /mimetypeapplication\/vnd\.oasis\.opendocument\.([a-z]+)/.exec(head.toString('latin1'))?.[1]
  return kind === 'spreadsheet' || (kind === undefined && parts.has('content.xml')) ? 'ods' : 'other'
}

/** What the parts declare to be, wherever they are: most programs put them into `xl/`, but none has to. */
async function declaredFormat(parts: ZipParts): Promise<'xlsx' | 'xlsb' | null> {
  let found: 'xlsx' | 'xlsb' | null = null
  await parts.scan(TYPES, {
    open(_name, attributes) {
      const type = xmlAttributes(attributes).get('ContentType') ?? ''
      if (/sheet\.binary\.macroEnabled\.main/i.test(type)) found ??= 'xlsb'
      else if (/(spreadsheetml\.(sheet|template)|ms-excel\.(sheet|template|addin)\.macroEnabled)\.main/i.test(type))
        found ??= 'xlsx'
    },
    close() {},
    text() {},
  })
  return found
}

const SECTORS = 64
const NAME = 64
const ENTRY = 128

/** For a compound file, the container of older formats: by the names of its contents. */
export async function compoundFormat(path: string): Promise<PackageFormat> {
  const file = await open(path)
  try {
    const names = await streamNames((size, at) => readAt(file, size, at))
    if (names.includes('EncryptedPackage')) return 'encrypted'
    return names.some((name) => /^(work)?book$/i.test(name)) ? 'legacy' : 'other'
  } finally {
    await file.close()
  }
}

async function readAt(file: Awaited<ReturnType<typeof open>>, size: number, at: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size)
  const { bytesRead } = await file.read(buffer, 0, size, at)
  return buffer.subarray(0, bytesRead)
}

/** The directory is a chain of sectors; it is followed as far as the first part of the allocation table goes. */
async function streamNames(read: (size: number, at: number) => Promise<Buffer>): Promise<string[]> {
  const header = await read(512, 0)
  const shift = header.length < 512 ? 0 : header.readUInt16LE(30)
  if (shift !== 9 && shift !== 12) return []
  const size = 2 ** shift
  const places = (at: number): number => (at + 1) * size
  const names: string[] = []
  let sector = header.readUInt32LE(48)
  for (let n = 0; n < SECTORS && sector < 0xfffffff0; n++) {
    const entries = await read(size, places(sector))
    for (let at = 0; at + ENTRY <= entries.length; at += ENTRY) {
      const length = entries.readUInt16LE(at + NAME)
      if (length > 2 && length <= NAME) names.push(entries.toString('utf16le', at, at + length - 2))
    }
    const table = Math.floor(sector / (size / 4))
    if (table >= 109) break
    const next = await read(4, places(header.readUInt32LE(76 + 4 * table)) + 4 * (sector % (size / 4)))
    sector = next.length < 4 ? 0xffffffff : next.readUInt32LE(0)
  }
  return names
}
