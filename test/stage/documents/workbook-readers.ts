import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readXlsx } from 'hucre'
import { skipReason } from '../skip-reason.ts'
import { xlsx } from './sheet-js.ts'

/** A cell as openpyxl reads it: `type` is `n`, `s`, `b`, `d` or `f` (a formula, which there must never be). */
export interface ReadCell {
  readonly value: string | number | boolean | null
  readonly type: string
  readonly format: string
}
export interface ReadSheet {
  readonly title: string
  readonly rows: readonly (readonly ReadCell[])[]
  readonly freeze: string | null
  readonly filter: string | null
  readonly bold: boolean
  readonly columns: Readonly<Record<string, { readonly width: number; readonly hidden: boolean }>>
}

const DUMP = `
import json, sys, openpyxl
book = openpyxl.load_workbook(sys.argv[1])
def cell(c):
    v = c.value
    if hasattr(v, 'isoformat'): v = v.isoformat()
    elif hasattr(v, 'total_seconds'): v = v.total_seconds()
    return {'value': v, 'type': c.data_type, 'format': c.number_format}
print(json.dumps([{
    'title': s.title,
    'rows': [[cell(c) for c in row] for row in s.iter_rows()],
    'freeze': s.freeze_panes,
    'filter': s.auto_filter.ref,
    'bold': bool(s['A1'].font.b),
    'columns': {k: {'width': d.width, 'hidden': d.hidden} for k, d in s.column_dimensions.items()},
} for s in book]))
`
const COUNT = `
import json, sys, openpyxl
book = openpyxl.load_workbook(sys.argv[1], read_only=True)
print(json.dumps([[s.title, sum(1 for _ in s.iter_rows(values_only=True))] for s in book]))
`
const run = promisify(execFile)
/** A Python with openpyxl and XlsxWriter: the first on the path may be another than the system's. */
export const python = ['python3', '/usr/bin/python3'].find(
  (name) => spawnSync(name, ['-c', 'import openpyxl, xlsxwriter']).status === 0,
)
const office = ['soffice', 'libreoffice'].find((name) => spawnSync(name, ['--version']).status === 0)

/** Why a reader cannot be used here; null when it can. */
export const noOpenpyxl = skipReason(python === undefined ? 'openpyxl or XlsxWriter is not installed' : null)
export const noLibreOffice = skipReason(office === undefined ? 'LibreOffice is not installed' : null)

export async function collect(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of bytes) pieces.push(piece)
  return Buffer.concat(pieces)
}

export async function readWithOpenpyxl(workbook: Uint8Array): Promise<ReadSheet[]> {
  return JSON.parse(await withFile(workbook, (path) => runPython(DUMP, path))) as ReadSheet[]
}

/** Names of the sheets and how many rows they have. */
export async function countWithOpenpyxl(workbook: Uint8Array): Promise<[string, number][]> {
  return JSON.parse(await withFile(workbook, (path) => runPython(COUNT, path))) as [string, number][]
}

/** What LibreOffice shows in each sheet, as CSV in the order of their names. */
export async function readWithLibreOffice(workbook: Uint8Array): Promise<Record<string, string>> {
  return withFile(workbook, async (path, folder) => {
    const csv = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1'
    const home = `-env:UserInstallation=file://${join(folder, 'home')}`
    await run(office!, [home, '--headless', '--convert-to', csv, '--outdir', join(folder, 'out'), path], {
      timeout: 60_000,
    })
    const sheets: Record<string, string> = {}
    for (const name of (await readdir(join(folder, 'out'))).sort())
      sheets[name.replace(/^workbook-|\.csv$/g, '')] = await readFile(join(folder, 'out', name), 'utf8')
    return sheets
  })
}

/** Rows of each sheet as SheetJS reads them, dates as ISO 8601. */
export function readWithSheetJs(workbook: Uint8Array): Record<string, unknown[][]> {
  const book = xlsx.read(workbook, { cellDates: true })
  return Object.fromEntries(
    book.SheetNames.map((name) => [
      name,
      xlsx.utils.sheet_to_json(book.Sheets[name]!, { header: 1, defval: null, raw: true }),
    ]),
  )
}

/** Rows of each sheet as hucre reads them. */
export async function readWithHucre(workbook: Uint8Array): Promise<Record<string, unknown[][]>> {
  const { sheets } = await readXlsx(workbook)
  return Object.fromEntries(sheets.map(({ name, rows }) => [name, rows as unknown[][]]))
}

async function runPython(program: string, path: string): Promise<string> {
  const { stdout } = await run(python!, ['-c', program, path], { maxBuffer: 256 * 1024 * 1024, timeout: 120_000 })
  return stdout
}

async function withFile<T>(workbook: Uint8Array, work: (path: string, folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-workbook-'))
  try {
    const path = join(folder, 'workbook.xlsx')
    await writeFile(path, workbook)
    return await work(path, folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
