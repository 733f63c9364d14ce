import { open } from 'node:fs/promises'
import { compoundFormat, zipFormat, type PackageFormat } from '../sheet/detect-package.ts'
import { TableError } from '../shape/table-error.ts'
import { say } from '../../kernel/sentence.ts'

export type TableFormat = 'csv' | 'json' | 'parquet' | 'sqlite' | 'xlsx' | 'xls' | 'ods'

const HEAD = 4096
const SQLITE = 'SQLite format 3\0'
/** Extensions of text that may well be a table. */
const TEXT = /\.(csv|tsv|tab|txt|text|log|dat|psv|md|ssv)$/i

/**
 * Detects the format of a file by its first bytes and, where these are inconclusive, by its name. @throws {TableError}
 * unsupported, unreadable
 */
export async function detectFormat(path: string, name: string): Promise<TableFormat> {
  const file = await open(path)
  const buffer = Buffer.alloc(HEAD)
  let head: Buffer
  try {
    const { bytesRead } = await file.read(buffer, 0, HEAD, 0)
    head = buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
  const start = head.toString('latin1', 0, 16)
  if (head.length === 0) throw new TableError('unreadable', say`The file "${name}" is empty.`)
  if (start.startsWith('PAR1')) return 'parquet'
  if (start === SQLITE) return 'sqlite'
  if (start.startsWith('PK\x03\x04')) return spreadsheet(await zipFormat(path, head).catch(brokenZip(name)), name)
  if (start.startsWith('\xd0\xcf\x11\xe0')) return spreadsheet(await compoundFormat(path), name)
  if (start.startsWith('\x1f\x8b') || start.startsWith('%PDF')) throw unsupported(name)
  if (/\.(json|jsonl|ndjson|geojson)$/i.test(name)) return 'json'
  if (TEXT.test(name)) return 'csv'
  // Without a telling name: text that begins like JSON, else text with rows.
  const zeros = head.indexOf(0) >= 0 && !(head[0] === 0xff || head[0] === 0xfe)
  if (zeros || /\.(png|jpe?g|gif|webp|pdf|docx?|pptx?|zip|gz|exe|bin|mp[34]|xlsx?|xlsb|ods)$/i.test(name))
    throw unsupported(name)
  return /^\s*(\[\s*\{|\{\s*")/.test(head.toString('utf8').replace(/^\ufeff/, '')) ? 'json' : 'csv'
}

/** Whether something broken was meant to be a spreadsheet, only its name can tell. */
function brokenZip(name: string): (error: unknown) => PackageFormat {
  return (error) => {
    if (/\.(xl[st][xmb]?|o[dt]s)$/i.test(name)) throw error
    return 'other'
  }
}

function spreadsheet(format: PackageFormat, name: string): TableFormat {
  if (format === 'xlsx' || format === 'ods') return format
  if (format === 'legacy') return 'xls'
  if (format === 'encrypted')
    throw new TableError(
      'unreadable',
      say`The file "${name}" is protected by a password. Save it without one and try again.`,
    )
  if (format === 'other') throw unsupported(name)
  throw new TableError(
    'unsupported',
    say`The file "${name}" is a workbook in the binary format XLSB. Save it as XLSX and try again.`,
  )
}

function unsupported(name: string): TableError {
  return new TableError(
    'unsupported',
    say`The file "${name}" is not a table that can be read: CSV, TSV, JSON, NDJSON, XLSX, XLS, ODS, Parquet or SQLite.`,
  )
}
