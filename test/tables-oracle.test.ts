import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fold } from '../server/kernel/text/plain-text.ts'
import type { TableCell } from '../server/tables/shape/table-shape.ts'
import type { TableFilter, SheetView } from '../server/tables/shape/sheet-view.ts'
import { cells, csv, openTablesStage, source, type TablesStage } from './stage/documents/tables-stage.ts'

/** Whatever the engine answers has to be what brute force over the same rows gives, cell for cell. */
let stage: TablesStage
beforeAll(async () => {
  stage = await openTablesStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const KEYS = ['id', 'word', 'count', 'price', 'flag', 'day'] as const
type Key = (typeof KEYS)[number]
type Row = Record<Key, TableCell>

const word = fc
  .string({ unit: fc.constantFrom(...'abcABC éÉяЯж東,;"\n\'%_\\|0'), maxLength: 3 })
  .map((text) => `w${text}`)
const sometimes = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 5 })
// Few different values, so that many are equal.
const cents = fc.oneof(
  fc.constantFrom(-0.5, 0.01, 0.1, 12.34),
  fc.integer({ min: -100_000, max: 100_000 }).map((n) => n / 100),
)
const day = fc.integer({ min: 0, max: 8 }).map((n) => new Date(Date.UTC(2023, 11, 27 + n)).toISOString().slice(0, 10))

// The first row settles the types, so that an operator always fits its column.
const FIRST: Row = { id: 0, word: 'wаw', count: 7, price: 0.25, flag: true, day: '2024-02-29' }
const table = fc
  .array(
    fc.record({
      word: sometimes(word),
      count: sometimes(fc.integer({ min: -3, max: 3 })),
      price: sometimes(cents),
      flag: sometimes(fc.boolean()),
      day: sometimes(day),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((rows): Row[] => [FIRST, ...rows.map((row, i) => ({ id: i + 1, ...row }))])

const value: Record<Exclude<Key, 'id'>, fc.Arbitrary<string | number | boolean>> = {
  word: word,
  count: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constant(0.5)),
  price: cents,
  flag: fc.boolean(),
  day,
}
const column = fc.constantFrom<Exclude<Key, 'id'>>('word', 'count', 'price', 'flag', 'day')
const filter: fc.Arbitrary<TableFilter> = column.chain((name) => {
  const wanted = value[name]
  return fc.oneof(
    fc.record({ column: fc.constant(name), op: fc.constantFrom('eq', 'ne', 'lt', 'lte', 'gt', 'gte'), value: wanted }),
    fc.record({ column: fc.constant(name), op: fc.constant('in'), value: fc.array(wanted, { maxLength: 4 }) }),
    fc.record({ column: fc.constant(name), op: fc.constantFrom('empty', 'not_empty') }),
    fc.record({
      column: fc.constant('word'),
      op: fc.constantFrom('contains', 'starts_with'),
      value: word.map((text) => text.slice(0, 3)),
    }),
  ) as fc.Arbitrary<TableFilter>
})
const view: fc.Arbitrary<SheetView> = fc.record({
  filters: fc.array(filter, { minLength: 1, maxLength: 2 }),
  sort: fc.array(fc.record({ column, dir: fc.constantFrom('asc', 'desc') }), { maxLength: 2 }),
  search: fc.option(fc.constantFrom('a', 'Я', '東', '1', '0.5', 'TRUE', '2023-', 'w'), { nil: undefined, freq: 3 }),
})

const collator = new Intl.Collator('en', { numeric: true })

/** Text compares by code points, as UTF-8 does. */
function compare(a: TableCell, b: TableCell): number {
  if (typeof a === 'string' && typeof b === 'string') return Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)))
  return Number(a) - Number(b)
}

function holds(row: Row, { column: name, op, value: wanted }: TableFilter): boolean {
  const cell = row[name as Key]
  const plain = wanted as string | number | boolean
  const folded = (text: unknown): string => fold(String(text))
  const order = cell === null ? NaN : compare(cell, plain)
  switch (op) {
    case 'empty':
      return cell === null
    case 'not_empty':
      return cell !== null
    case 'eq':
      return order === 0
    case 'ne':
      return order !== 0
    case 'lt':
      return order < 0
    case 'lte':
      return order <= 0
    case 'gt':
      return order > 0
    case 'gte':
      return order >= 0
    case 'in':
      return cell !== null && (wanted as (typeof plain)[]).some((each) => compare(cell, each) === 0)
    case 'contains':
      return cell !== null && folded(cell).includes(folded(plain))
    case 'starts_with':
      return cell !== null && folded(cell).startsWith(folded(plain))
  }
}

function bruteForce(rows: readonly Row[], { filters = [], sort = [], search }: SheetView): Row[] {
  const found = rows.filter(
    (row) =>
      filters.every((each) => holds(row, each)) &&
      (search === undefined || KEYS.some((key) => row[key] !== null && fold(String(row[key])).includes(fold(search)))),
  )
  return found.sort((a, b) => {
    for (const { column: name, dir } of sort) {
      const [left, right] = [a[name as Key], b[name as Key]]
      if (left === null || right === null) {
        if (left !== right) return left === null ? 1 : -1
        continue
      }
      const order =
        typeof left === 'string' && name === 'word'
          ? collator.compare(left, right as string) || compare(left, right)
          : compare(left, right)
      if (order !== 0) return dir === 'asc' ? order : -order
    }
    return Number(a.id) - Number(b.id)
  })
}

const asFile = (rows: readonly Row[], delimiter: string) =>
  source('t.csv', csv([[...KEYS], ...rows.map((row) => KEYS.map((key) => row[key]))], delimiter))

test('every page of every view', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.constantFrom(',', ';', '\t', '|'),
      fc.array(view, { minLength: 16, maxLength: 16 }),
      fc.integer({ min: 1, max: 30 }),
      async (rows, delimiter, views, page_size) => {
        const file = asFile(rows, delimiter)
        expect(cells(await stage.read(file))).toEqual(rows.map((row) => KEYS.map((key) => row[key])))
        for (const [i, each] of views.entries()) {
          const expected = bruteForce(rows, each)
          const page = 1 + (i % 2)
          const found = await stage.tables.page(file, { view: each, language: 'en', page, page_size })
          expect(found.rows).toEqual(expected.slice((page - 1) * page_size, page * page_size))
          expect(found.total_rows).toBe(expected.length)
        }
      },
    ),
    { numRuns: 10 },
  )
})

test('counts, sums, averages, extremes, medians and different values by group', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(table, async (rows) => {
      const found = await stage.ask(
        `SELECT flag, count(*), count(count), sum(count), sum(price), avg(count), min(price), max(word), median(count), count(DISTINCT word) FROM t GROUP BY flag ORDER BY flag NULLS LAST`,
        { t: asFile(rows, ',') },
      )
      const expected = [false, true, null].flatMap((flag) => {
        const group = rows.filter((row) => row.flag === flag)
        if (group.length === 0) return []
        const numbers = (key: Key): number[] => group.flatMap((row) => (row[key] === null ? [] : [Number(row[key])]))
        const counts = numbers('count').sort((a, b) => a - b)
        const words = group.flatMap((row) => (row.word === null ? [] : [String(row.word)])).sort(compare)
        const sum = (list: number[]): number => list.reduce((all, each) => all + each, 0)
        const middle = (counts[(counts.length - 1) >> 1]! + counts[counts.length >> 1]!) / 2
        const or = <T>(list: unknown[], figure: T): T | null => (list.length === 0 ? null : figure)
        const priced = numbers('price')
        return [
          [
            flag,
            group.length,
            counts.length,
            or(counts, sum(counts)),
            // Decimals add up exactly.
            or(priced, Math.round(sum(priced.map((each) => Math.round(each * 100)))) / 100),
            or(counts, sum(counts) / counts.length),
            or(priced, Math.min(...priced)),
            words.at(-1) ?? null,
            or(counts, middle),
            new Set(words).size,
          ],
        ]
      })
      expect(found.map((row) => row.map((cell) => (cell === 0 ? 0 : cell)))).toEqual(
        expected.map((row) => row.map((cell) => (cell === 0 ? 0 : cell))),
      )
    }),
    { numRuns: 10 },
  )
})

test('joins', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(table, table, async (left, right) => {
      const files = { l: asFile(left, ','), r: asFile(right, ';') }
      for (const kind of ['JOIN', 'LEFT JOIN']) {
        const found = await stage.ask(
          `SELECT l.id, r.id AS other FROM l ${kind} r ON l.count = r.count ORDER BY 1, 2`,
          files,
        )
        const expected = left.flatMap((a) => {
          const partners = right.filter((b) => a.count !== null && a.count === b.count).map((b) => [a.id, b.id])
          return partners.length === 0 && kind === 'LEFT JOIN' ? [[a.id, null]] : partners
        })
        expect(found).toEqual(expected.slice(0, 1000))
      }
    }),
    { numRuns: 6 },
  )
})

test('whatever stands in the cells comes back, however the file is written', { timeout: 120_000 }, async () => {
  const cell = fc.string({ unit: fc.constantFrom(...'ab"",;|\t\n\r 0é東#\u00a0'), maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 30 }),
      fc.constantFrom(',', ';', '\t', '|'),
      async (rows, delimiter) => {
        // A word in the middle keeps every column text, and no row empty.
        const text = rows.map((row) => row.map((each, i) => (i === 1 ? `word ${each}` : each)))
        const found = await stage.read(source('t.csv', csv([['first', 'second', 'third'], ...text], delimiter)))
        expect(cells(found).map((row) => row.map((each) => String(each ?? '')))).toEqual(text)
      },
    ),
    { numRuns: 20 },
  )
})
