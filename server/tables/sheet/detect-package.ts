import { open } from 'node:fs/promises'
import { openZipParts } from './zip-parts.ts'

/** What a file is that holds further files: `encrypted` is a workbook under a password, `legacy` one of the formats before 2007. */
export type PackageFormat = 'xlsx' | 'ods' | 'xlsb' | 'legacy' | 'encrypted' | 'other'

/** Of a zip. Only its directory is read. */
export async function zipFormat(path: string, head: Buffer): Promise<PackageFormat> {
  await using parts = await openZipParts(path)
  if (parts.has('xl/workbook.bin')) return 'xlsb'
  if (parts.names.some((name) => /^xl\//i.test(name))) return 'xlsx'
  // The kind of document stands uncompressed at the beginning of the file.
  const kind = /mimetypeapplication\/vnd\.oasis\.opendocument\.([a-z]+)/.exec(head.toString('latin1'))?.[1]
  return kind === 'spreadsheet' || (kind === undefined && parts.has('content.xml')) ? 'ods' : 'other'
}

const SECTORS = 64
const NAME = 64
const ENTRY = 128

/** Of a compound file, the container of older formats: by the names of what it holds. */
export async function compoundFormat(path: string): Promise<PackageFormat> {
  const file = await open(path)
  try {
    const names = await streamNames((size, at) => readAt(file, size, at))
    if (names.includes('EncryptedPackage')) return 'encrypted'
    return names.some((name) => name === 'Workbook' || name === 'Book') ? 'legacy' : 'other'
  } finally {
    await file.close()
  }
}

async function readAt(file: Awaited<ReturnType<typeof open>>, size: number, at: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size)
  const { bytesRead } = await file.read(buffer, 0, size, at)
  return buffer.subarray(0, bytesRead)
}

/** The directory is a chain of sectors; it is followed as far as the first part of the allocation table tells. */
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
