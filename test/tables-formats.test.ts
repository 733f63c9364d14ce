import { DatabaseSync } from 'node:sqlite'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cells, openTablesStage, refusal, source, type TablesStage } from './stage/documents/tables-stage.ts'

let stage: TablesStage
beforeAll(async () => {
  stage = await openTablesStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const typesOf = async (text: string): Promise<string[]> =>
  (await stage.read(source('t.csv', text))).columns.map(({ type }) => type)

describe('delimited text', () => {
  test.each([
    ['comma', 'a,b\n1,x\n'],
    ['semicolon', 'a;b\n1;x\n'],
    ['tab', 'a\tb\n1\tx\n'],
    ['bar', 'a|b\n1|x\n'],
    ['CRLF', 'a,b\r\n1,x\r\n'],
    ['CR only', 'a,b\r1,x\r'],
    ['mixed line ends', 'a,b\r\n1,x\n'],
    ['no line end at the end', 'a,b\n1,x'],
    ['a byte order mark', '\uFEFFa,b\n1,x\n'],
    ['the line that Excel writes', 'sep=;\na;b\n1;x\n'],
    ['comments before it', '# made by hand\n# on Monday, too\na,b\n1,x\n'],
    ['empty lines', 'a,b\n\n1,x\n\n\n'],
  ])('with %s', async (_what, text) => {
    const page = await stage.read(source('t.csv', text))
    expect(page.columns.map(({ key }) => key)).toEqual(['a', 'b'])
    expect(cells(page)).toEqual([[1, 'x']])
  })

  test.each<[string, string, (text: string) => Uint8Array]>([
    ['utf-8', 'имя;город\nЁжик;東京 🚀\n', (text) => Buffer.from(text)],
    ['utf-16le', 'имя;город\nЁжик;東京 🚀\n', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['utf-16be', 'имя;город\nЁжик;東京 🚀\n', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
    ['utf-16le', 'name;city\nA;Bern\n', (text) => Buffer.from(text, 'utf16le')],
    ['windows-1251', 'имя;город\nЁжик;Москва\n', windows1251],
    ['windows-1252', 'Prénom;Ville\nZoë;Málaga\n', (text) => Buffer.from(text, 'latin1')],
  ])('in %s', async (encoding, text, encode) => {
    const file = source('t.csv', encode(text))
    const [header, row] = text
      .trim()
      .split('\n')
      .map((line) => line.split(';'))
    const page = await stage.read(file)
    expect(page.columns.map(({ key }) => key)).toEqual(header)
    expect(cells(page)).toEqual([row])
    expect((await stage.tables.describe(file)).encoding).toBe(encoding)
  })

  test('the first letter beyond ASCII decides the encoding, however late it comes', async () => {
    const text = `name,city\n${'someone,somewhere\n'.repeat(30_000)}Ёжик,Москва\n`
    const file = source('t.csv', windows1251(text))
    expect((await stage.tables.describe(file)).encoding).toBe('windows-1251')
    expect(cells(await stage.tables.page(file, { page: 61, page_size: 500 })).at(-1)).toEqual(['Ёжик', 'Москва'])
  })

  test('a broken byte in UTF-8 is shown, counted, and harms nothing else', async () => {
    const bytes = Buffer.concat([Buffer.from('город,n\nМосква,1\nБер'), Buffer.from([0xff]), Buffer.from('лин,2\n')])
    const page = await stage.read(source('t.csv', bytes))
    expect(cells(page)).toEqual([
      ['Москва', 1],
      ['Бер\uFFFDлин', 2],
    ])
    expect(page.notices.join()).toContain('not valid UTF-8 and show as \uFFFD: 1.')
  })

  test('rows of any length keep every cell', async () => {
    const page = await stage.read(source('t.csv', 'a,b,c\n1,2,3\n4,5\n6,7,8,9,10\n"x\ny",2,3\n'))
    expect(page.columns.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'Column 4', 'Column 5'])
    expect(cells(page)).toEqual([
      ['1', 2, 3, null, null],
      ['4', 5, null, null, null],
      ['6', 7, 8, 9, 10],
      ['x\ny', 2, 3, null, null],
    ])
    expect(page.notices).toHaveLength(2)
    expect(page.notices.join()).toMatch(/more cells .*: 1\..*row 4.*fewer cells .*: 1\..*row 3/s)
  })

  test.each<[string, string, (string | null)[][]]>([
    ['in the middle of a cell', 'a,b\nx "y" z,1\n', [['x "y" z', '1']]],
    ['that nobody doubled', 'a,b\n"say "hi" now",1\n', [['say "hi" now', '1']]],
    [
      'around a part of a cell',
      'a,b\n"a"b,1\nc,2\n',
      [
        ['"a"b', '1'],
        ['c', '2'],
      ],
    ],
    [
      'never closed',
      'a,b\nx,"open\ny,2\n',
      [
        ['x', '"open'],
        ['y', '2'],
      ],
    ],
    ['doubled and with line ends', 'a,b\n"x ""y""\r\nz",1\n', [['x "y"\r\nz', '1']]],
  ])('quotes %s', async (_what, text, expected) => {
    const page = await stage.read(source('t.csv', text))
    expect(cells(page).map((row) => row.map((cell) => (cell === null ? null : String(cell))))).toEqual(expected)
  })

  test('labels are unique, never empty, and found in any case', async () => {
    const page = await stage.read(source('t.csv', 'Name,name,,Name,__proto__\na,b,c,d,e\n1,2,3,4,5\n'))
    expect(page.columns.map(({ key }) => key)).toEqual(
      ['Name', 'name (2)', 'Column 3', 'Name (2)', '__proto__'].map((key, i) =>
        i === 3 ? 'Name (3)' : i === 4 ? 'proto' : key,
      ),
    )
    expect(cells(page)[0]).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test('a file without labels has numbered columns', async () => {
    const page = await stage.read(source('t.csv', '1,2024-01-01\n2,2024-01-02\n'))
    expect(page.columns.map(({ key }) => key)).toEqual(['Column 1', 'Column 2'])
    expect(page.total_rows).toBe(2)
  })

  test('a label may hold a line end', async () => {
    const page = await stage.read(source('t.csv', '"first\nline",b\n1,2\n'))
    expect(page.columns.map(({ key }) => key)).toEqual(['first line', 'b'])
    expect(cells(page)).toEqual([[1, 2]])
  })
})

describe('types', () => {
  test.each([
    ['text', '007\n012\n'],
    ['integer', '12345678901234567890\n9007199254740993\n'],
    ['integer', '-5\n0\n\n7\n'],
    ['text', '+5\n6\n'],
    ['number', '1.5\n2\n'],
    ['number', '1e10\n2.5\n'],
    ['number', '.5\n-2\n'],
    ['number', '"1,234.5"\n2\n'],
    ['text', '"1,234"\n2\n'],
    ['boolean', 'true\nFALSE\n'],
    ['text', 'true\n1\n'],
    ['date', '2024-01-31\n1999-12-01\n'],
    ['text', '2024-02-31\n1999-12-01\n'],
    ['date', '31.12.2024\n01.02.2024\n'],
    ['date', '12/31/2024\n01/02/2024\n'],
    ['text', '01/02/2024\n03/04/2024\n'],
    ['datetime', '2024-01-31 10:00:00\n2024-01-31T11:30\n'],
    ['datetime', '2024-01-31T10:00:00+02:00\n2024-01-31T10:00:00Z\n'],
    ['text', '1\n2\nthree\n'],
    ['text', 'NA\n1\n'],
  ])('%s for %j', async (type, rows) => {
    expect(await typesOf(`label,n\n${rows.replace(/\n/g, ',x\n')}`)).toEqual([type, 'text'])
  })

  test('a decimal comma is one only where it cannot be a thousand', async () => {
    expect(await typesOf('a;b\n1,5;x\n1234,56;y\n')).toEqual(['number', 'text'])
    expect(await typesOf('a;b\n1,234;x\n5,678;y\n')).toEqual(['text', 'text'])
    expect(cells(await stage.read(source('t.csv', 'a;b\n1,5;x\n1234,56;y\n')))).toEqual([
      [1.5, 'x'],
      [1234.56, 'y'],
    ])
  })

  test('every digit and every form comes through', async () => {
    const text =
      'big,code,price,day,at\n9007199254740993,007,0.1,31.12.2024,2024-01-31T10:00:00+02:00\n5,010,12345678901234.567,01.01.2024,2024-01-31T10:00:00Z\n'
    expect(cells(await stage.read(source('t.csv', text)))).toEqual([
      ['9007199254740993', '007', 0.1, '2024-12-31', '2024-01-31T08:00:00.000Z'],
      [5, '010', '12345678901234.567', '2024-01-01', '2024-01-31T10:00:00.000Z'],
    ])
  })

  test('a word after 60,000 numbers makes the column text, on every page', async () => {
    const text = `n,m\n${Array.from({ length: 60_000 }, (_, i) => `${i},1\n`).join('')}word,1\n`
    const page = await stage.tables.page(source('late.csv', text), { page: 601, page_size: 100 })
    expect(page.columns[0]!.type).toBe('text')
    expect(page.rows.at(-1)).toEqual({ n: 'word', m: 1 })
    expect(page.total_rows).toBe(60_001)
  })
})

describe('other formats', () => {
  test('JSON: a list of objects, digits and nested values kept', async () => {
    const text = '[{"a":1,"b":"x","c":12345678901234567890123},{"a":2.5,"d":{"e":[1,2]}},{"b":"007","f":true}]'
    const page = await stage.read(source('t.json', text))
    expect(page.columns.map(({ key, type }) => `${key} ${type}`)).toEqual([
      'a number',
      'b text',
      'c integer',
      'd text',
      'f boolean',
    ])
    expect(cells(page)).toEqual([
      [1, 'x', '12345678901234567890123', null, null],
      [2.5, null, null, '{"e":[1,2]}', null],
      [null, '007', null, null, true],
    ])
  })

  test('NDJSON with broken lines: the others are read, and it is said', async () => {
    const page = await stage.read(source('t.ndjson', '{"a":1}\nnot json\n{"a":2}\n[1]\n'))
    expect(cells(page)).toEqual([[1], [2]])
    expect(page.notices.join()).toMatch(/not JSON objects.*: 2\. .*: 2, 4/)
  })

  test.each(['hadoop-lz4', 'plain-lz4'])('Parquet packed with the old codec LZ4: %s', async (name) => {
    const file = source('t.parquet', await readFile(new URL(`parquet-files/${name}.parquet`, import.meta.url)))
    expect(cells(await stage.read(file))).toEqual([
      [1593604800, 'abc', 42],
      [1593604800, 'def', 7.7],
      [1593604801, 'abc', 42.125],
      [1593604801, 'def', 7.7],
    ])
    expect((await stage.tables.preview(file, { rows: 1 })).rows).toHaveLength(1)
  })

  test('Parquet: its own types, text stays text', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reeve-parquet-'))
    try {
      const path = join(folder, 't.parquet')
      const connection = await (await DuckDBInstance.create()).connect()
      await connection.run(
        `COPY (SELECT 9007199254740993::BIGINT AS big, '7' AS code, 1.50::DECIMAL(9,2) AS price, DATE '2024-02-29' AS day, ` +
          `TIMESTAMP '2024-02-29 10:00:00' AS moment, [1,2] AS list, true AS yes, NULL::INTEGER AS nothing) TO '${path}'`,
      )
      connection.closeSync()
      const page = await stage.read(source('t.parquet', await readFile(path)))
      expect(page.columns.map(({ type }) => type)).toEqual([
        'integer',
        'text',
        'number',
        'date',
        'datetime',
        'text',
        'boolean',
        'text',
      ])
      expect(cells(page)).toEqual([
        ['9007199254740993', '7', 1.5, '2024-02-29', '2024-02-29T10:00:00', '[1,2]', true, null],
      ])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test('SQLite: every table is a sheet', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reeve-sqlite-'))
    try {
      const path = join(folder, 't.db')
      const database = new DatabaseSync(path)
      database.exec(
        `CREATE TABLE people (id INTEGER, name TEXT, data BLOB); INSERT INTO people VALUES (9007199254740993, 'Ёжик, "x"', x'00ff'), (2, NULL, NULL), (3, '', NULL);` +
          `CREATE TABLE "odd name" (only TEXT); INSERT INTO "odd name" VALUES (NULL), ('a'); CREATE VIEW v AS SELECT 1`,
      )
      database.close()
      const file = source('t.db', await readFile(path))
      const page = await stage.read(file)
      expect(page.sheets).toEqual(['people', 'odd name'])
      expect(cells(page)).toEqual([
        ['9007199254740993', 'Ёжик, "x"', '\\x00ff'],
        [2, null, null],
        [3, null, null],
      ])
      expect(cells(await stage.read(file, {}, 'ODD NAME'))).toEqual([[null], ['a']])
      expect(await refusal(stage.read(file, {}, 'v'), 'no_sheet')).toContain('There are: "people", "odd name"')
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

/** Cyrillic letters as windows-1251 has them. */
function windows1251(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => {
    const code = letter.codePointAt(0)!
    if (code === 0x401) return 0xa8
    if (code === 0x451) return 0xb8
    return code >= 0x410 && code <= 0x44f ? code - 0x350 : code
  })
}
