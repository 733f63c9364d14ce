import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LANGUAGES } from '../contract/accounts.ts'
import { contract } from '../contract/index.ts'
import { fold } from '../server/kernel/text/plain-text.ts'
import { openStage, type Stage } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { cells, csv, openTablesStage, source, type TablesStage } from './stage/documents/tables-stage.ts'

let stage: TablesStage
beforeAll(async () => {
  stage = await openTablesStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const WORDS =
  'Zebra zebra Äpfel apfel Öl oel ёлка Ёлка еж жук file10 file2 File2 file1 éclair eclair Émile emile Ångström zorro ñandú nube ' +
  'co-op coop straße strasse łódź lodz 10 9 あ イ 東京 北京'
const file = source('words.csv', csv([['word'], ...WORDS.split(' ').map((word) => [word])]))

async function found(language: string, dir: 'asc' | 'desc' = 'asc'): Promise<unknown[]> {
  const view = { sort: [{ column: 'word', dir }] }
  return cells(await stage.tables.page(file, { view, language, page: 1, page_size: 100 })).flat()
}
const search = async (wanted: string): Promise<unknown[]> => cells(await stage.read(file, { search: wanted })).flat()

describe('the language of who looks', () => {
  test.each([...LANGUAGES, 'sv'])('sorts text: %s', async (language) => {
    const expected = WORDS.split(' ').sort(new Intl.Collator(language, { numeric: true }).compare)
    expect(await found(language)).toEqual(expected)
    expect(await found(language, 'desc')).toEqual(expected.toReversed())
  })
  test('that is none is no SQL', async () => {
    expect(await found("de') --")).toEqual(await found('en'))
  })
})

describe('a search', () => {
  test('looks neither at case nor at accents, either way', async () => {
    expect(await search('emile')).toEqual(['Émile', 'emile'])
    expect(await search('ÉMILE')).toEqual(['Émile', 'emile'])
    expect(await search('елка')).toEqual(['ёлка', 'Ёлка'])
    expect(await search('ангстрем')).toEqual([])
    expect(await search('angstrom')).toEqual(['Ångström'])
    expect(await search('東')).toEqual(['東京'])
  })
  test('finds what folding finds, whatever the text is', async () => {
    const unit = fc.constantFrom(...'aAéÉe\u0301ёеЁйиßſﬁＡ1.*+?()[]{}|^$\\/-_%\'"한が東 \u0130ı')
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit, minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 30 }),
        fc.string({ unit, minLength: 1, maxLength: 2 }),
        async (texts, wanted) => {
          fc.pre(fold(wanted).normalize('NFC') !== '' && fold(wanted).length === wanted.length)
          const rows = texts.map((text) => `x${text}x`)
          const own = source('t.ndjson', rows.map((text) => `${JSON.stringify({ t: text })}\n`).join(''))
          const view = { filters: [{ column: 't', op: 'contains', value: wanted }] } as const
          const one = (text: string): boolean => fold(text).length === text.replaceAll('\u0301', '').length
          const plain = rows.filter(one)
          const answer = cells(await stage.read(own, view)).flat()
          expect(answer.filter((text) => one(String(text)))).toEqual(
            plain.filter((text) => fold(text).normalize('NFC').includes(fold(wanted).normalize('NFC'))),
          )
        },
      ),
      { numRuns: 25 },
    )
  })
})

describe.each(databases)('requests on $name', (database) => {
  let site: Stage
  beforeAll(async () => {
    site = await openStage(database, { engine: false })
  })
  afterAll(() => site[Symbol.asyncDispose]())

  test('a NUL in a filter or a search matches what has one, and is no error', async () => {
    const ann = await site.as('ann')
    const body = Buffer.from('{"t":"a\\u0000b"}\n{"t":"ab"}\n')
    const headers = { 'x-file-name': 't.ndjson', 'content-type': 'application/octet-stream' }
    const stored = (await (await ann.fetch('/api/files', { method: 'POST', headers, body })).json()) as {
      file: { file_id: string }
    }
    const { file_id } = stored.file
    const asked = async (view: object): Promise<unknown[]> =>
      (
        await ann.call(contract.tables.table, {
          params: { file_id },
          query: { view: JSON.stringify(view), page: 1, page_size: 25, sheet: '' },
        })
      ).rows
    const filter = (op: string, value: unknown) => asked({ filters: [{ column: 't', op, value }] })
    for (const rows of [
      await filter('eq', 'a\0b'),
      await filter('in', ['a\0b']),
      await filter('contains', '\0'),
      await filter('starts_with', 'A\0'),
      await asked({ search: '\0b' }),
    ])
      expect(rows).toEqual([{ t: 'a\0b' }])
    expect(await filter('eq', '\0')).toEqual([])
    await expect(filter('eq\0', 'x')).rejects.toMatchObject({ status: 422 })
    await expect(asked({ sort: [{ column: 't\0', dir: 'asc' }] })).rejects.toMatchObject({ status: 422 })
  })
})
