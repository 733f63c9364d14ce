import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { openMachine } from '../../../server/sandbox/machine.ts'
import { TableError, type TableErrorCode } from '../../../server/tables/shape/table-error.ts'
import type { TableCell } from '../../../server/tables/shape/table-shape.ts'
import type { TableLimits } from '../../../server/tables/shape/table-limits.ts'
import type { TableSource } from '../../../server/tables/shape/table-source.ts'
import type { SheetView } from '../../../server/tables/shape/sheet-view.ts'
import { openTables, type TablePage, type Tables } from '../../../server/tables/tables.ts'

export interface TablesStage extends AsyncDisposable {
  readonly tables: Tables
  /** Of the cached forms. */
  readonly folder: string
  /** All rows of a file, as one page. */
  read(source: TableSource, view?: SheetView, sheet?: string): Promise<TablePage>
  /** Rows of a query over files, as lists of cells. */
  ask(sql: string, sources: Record<string, TableSource>, params?: TableCell[]): Promise<TableCell[][]>
}

/** The table engine with a folder of its own; both are gone when it is disposed. */
export async function openTablesStage(limits: Partial<TableLimits> = {}): Promise<TablesStage> {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-tables-'))
  const tables = openTables({ folder, limits, machine: openMachine({ node: process.execPath }) })
  return {
    tables,
    folder,
    read: (source, view, sheet) => tables.page(source, { sheet, view, page: 1, page_size: 500 }),
    async ask(sql, sources, params = []) {
      const named = Object.entries(sources).map(([name, source]) => ({ name, source }))
      const { rows } = await tables.query(named, sql, params, 1000)
      return rows.map((row) => Object.values(row))
    },
    async [Symbol.asyncDispose]() {
      await tables[Symbol.asyncDispose]()
      // The processes in a sandbox end with it, but not before: one may just be writing its compiled program.
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
    },
  }
}

/** A file with this content, as a store would hand it out. */
export function source(name: string, content: string | Uint8Array, owner = 'ann'): TableSource {
  const bytes = Buffer.from(content)
  return {
    owner,
    key: createHash('sha256').update(bytes).digest('hex'),
    name,
    size: bytes.length,
    path: null,
    async *read() {
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
    },
  }
}

export function cells(page: TablePage): TableCell[][] {
  return page.rows.map((row) => page.columns.map(({ key }) => row[key] ?? null))
}

/** Rows as a CSV file, every cell in quotes where it has to be. */
export function csv(rows: readonly (readonly TableCell[])[], delimiter = ','): string {
  const write = (cell: TableCell): string => {
    const text = cell === null ? '' : String(cell)
    return /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text
  }
  return rows.map((row) => `${row.map(write).join(delimiter)}\n`).join('')
}

/** Checks that something is refused with this code, and gives its sentence. */
export async function refusal(work: Promise<unknown>, code: TableErrorCode): Promise<string> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(TableError)
  expect(error).toMatchObject({ code })
  const { message } = error as TableError
  expect(message).not.toMatch(/reeve-tables-|\/tmp\/|data\.duckdb|node_modules/)
  return message
}
