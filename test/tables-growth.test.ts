import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openStage } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { odsBytes, xlsxBytes } from './stage/documents/spreadsheet-bytes.ts'
import { cells, openTablesStage, refusal, source, type TablesStage } from './stage/documents/tables-stage.ts'

let stage: TablesStage
beforeAll(async () => {
  stage = await openTablesStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const MIB = 1024 * 1024

/** Like `poc-shared-strings.xlsx` of Apache POI: one text of a megabyte that thousands of cells name. 10 kB that hold gigabytes. */
function sharedStringBomb(length: number, rows: number, perRow: number): Buffer {
  const row = `<row>${'<c t="s"><v>0</v></c>'.repeat(perRow)}</row>`
  return xlsxBytes({
    sheets: [{ name: 'S', data: row.repeat(rows) }],
    strings: `<si><t>${'x'.repeat(length)}</t></si>`,
  })
}

/** Bytes of an SQLite file that these statements make. */
function sqliteBytes(...statements: string[]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-growth-'))
  try {
    const path = join(folder, 't.db')
    const database = new DatabaseSync(path)
    for (const statement of statements) database.exec(statement)
    database.close()
    return readFileSync(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('one text of a megabyte in 8,192 rows: refused, the first rows as well', { timeout: 120_000 }, async () => {
  const bytes = sharedStringBomb(MIB, 8192, 1)
  expect(bytes.length).toBeLessThan(20_000)
  const file = source('bomb.xlsx', bytes)
  expect(await refusal(stage.read(file), 'too_large')).toMatch(/unpacks to more than 128 MB/)
  expect(await refusal(stage.tables.preview(file, { rows: 500 }), 'too_large')).toMatch(/unpacks to more than 128 MB/)
})

test('a row of many long texts is refused by its width', async () => {
  const file = source('wide.xlsx', sharedStringBomb(MIB, 2, 100))
  expect(await refusal(stage.read(file), 'too_large')).toMatch(/more than 4000000 characters/)
})

test('repeated rows of an OpenDocument sheet count as often as they stand there', { timeout: 120_000 }, async () => {
  const cell = `<table:table-cell office:value-type="string"><text:p>${'x'.repeat(100_000)}</text:p></table:table-cell>`
  const rows = `<table:table-row table:number-rows-repeated="1000000">${cell}</table:table-row>`
  const file = source('bomb.ods', odsBytes({ tables: `<table:table table:name="S">${rows}</table:table>` }))
  expect(await refusal(stage.read(file), 'too_large')).toMatch(/unpacks to more than 128 MB/)
})

test('columns of an SQLite file that compute are left out, with a notice', async () => {
  const bytes = sqliteBytes(
    `CREATE TABLE t (id INTEGER, slow TEXT AS (replace(hex(zeroblob(20000000)), '0', '00')), kept TEXT)`,
    `INSERT INTO t (id, kept) VALUES (1, 'a'), (2, 'b'), (3, 'c')`,
  )
  const page = await stage.read(source('slow.db', bytes))
  expect(page.columns.map(({ key }) => key)).toEqual(['id', 'kept'])
  expect(cells(page)).toEqual([
    [1, 'a'],
    [2, 'b'],
    [3, 'c'],
  ])
  expect(page.notices.join(' ')).toMatch(/column "slow" .* was left out/)
})

test('what an SQLite file computes when it is opened is not run: views and virtual tables', async () => {
  const bytes = sqliteBytes(
    'CREATE TABLE plain (a)',
    'INSERT INTO plain VALUES (1)',
    'CREATE VIEW v AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n',
    'CREATE VIRTUAL TABLE words USING fts5(w)',
  )
  expect((await stage.read(source('views.db', bytes))).sheets).toEqual(['plain'])
})

test('rows of an SQLite file that stand there again and again are refused', { timeout: 120_000 }, async () => {
  const bytes = sqliteBytes(
    'PRAGMA page_size = 4096',
    'CREATE TABLE t (a TEXT)',
    // Enough rows for an inner page over leaves.
    `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 3000)
     INSERT INTO t SELECT printf('%040d', x) FROM n`,
  )
  expect(await refusal(stage.read(source('loop.db', repeatLeaf(bytes))), 'too_large')).toMatch(/unpacks to more than/)
})

/** Puts a chain of pages above the first leaf, each of which names the next hundreds of times: rows without end in a few pages. */
function repeatLeaf(bytes: Buffer): Buffer {
  const SIZE = 4096
  const root = 2
  const inner = bytes.subarray((root - 1) * SIZE, root * SIZE)
  expect(inner[0]).toBe(5)
  const leaf = inner.readUInt32BE(inner.readUInt16BE(12))
  const depth = 4
  const first = bytes.length / SIZE + 1
  const pages = Array.from({ length: depth }, (_, level) => innerPage(level + 1 < depth ? first + level + 1 : leaf))
  innerPage(first).copy(inner)
  const all = Buffer.concat([bytes, ...pages])
  all.writeUInt32BE(all.length / SIZE, 28)
  return all
}

/** An inner page of 500 cells that all lead to the same child. */
function innerPage(child: number): Buffer {
  const page = Buffer.alloc(4096)
  const count = 500
  const cell = 4096 - 6
  page[0] = 5
  page.writeUInt16BE(count, 3)
  page.writeUInt16BE(cell, 5)
  page.writeUInt32BE(child, 8)
  for (let i = 0; i < count; i++) page.writeUInt16BE(cell, 12 + i * 2)
  page.writeUInt32BE(child, cell)
  page[cell + 4] = 1
  return page
}

test('a Parquet file of a few kilobytes with 20 million rows', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-growth-'))
  try {
    const path = join(folder, 't.parquet')
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    await connection.run(`COPY (SELECT 1 AS a FROM range(20000000)) TO '${path}' (COMPRESSION zstd)`)
    connection.closeSync()
    instance.closeSync()
    expect(await refusal(stage.read(source('t.parquet', readFileSync(path))), 'too_large')).toMatch(/unpacks to more/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a sheet that is packed as well as sheets are is read', { timeout: 120_000 }, async () => {
  const file = source('plain.xlsx', sharedStringBomb(200, 20_000, 5))
  expect((await stage.read(file)).total_rows).toBe(20_000)
})

test('at the front door it is 422 with its code', { timeout: 120_000 }, async () => {
  await using service = await openStage(databases[0]!, { engine: false })
  const ann = await service.as('ann')
  const { file } = await ann.call(contract.files.upload, {
    headers: { 'x-file-name': 'bomb.xlsx' },
    body: sharedStringBomb(MIB, 8192, 1),
  })
  const refused = ann.call(contract.tables.table, { params: { file_id: file.file_id } })
  await expect(refused).rejects.toMatchObject({ problem: { status: 422, code: 'unreadable_file' } })
})
