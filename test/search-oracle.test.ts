import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { foldForSearch } from '../server/kernel/text/search-words.ts'
import { databases } from './stage/servers/postgres.ts'
import { openSearchStage, type SearchStage } from './stage/search-stage.ts'

/** Pieces of which texts and queries are made: they meet often, and every kind of character is among them. */
const PIECES = [
  ...'ab zé ёЁшß日本語中가각ㄱ"*%_\\-():^+\'`{}[]~&|!?.,;<>#$@=/😀🏳',
  ...'NEAR AND OR NOT disk_size C:\\Win zażółć strasse ﬁn İ 日本 디스크 👨‍👩‍👧 the ing rowid grams: long null'.split(' '),
  ...Array.from(' \n\u3000\u180e\u0301\0').concat('\ud800', ' ', ' '),
]
const piece = fc.constantFrom(...PIECES)
const said = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(''))
const query = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join('').slice(0, 200))

/** What the contract says, looked for in everything, one word after the other. */
function holds(texts: readonly string[], q: string): boolean {
  const fold = (text: string): string => foldForSearch(text.toWellFormed().replaceAll('\0', '\uFFFD'))
  const words = fold(q)
    .split(/[\s\u180e]+/u)
    .filter((word) => word !== '')
  return words.every((word) => {
    const escaped = word.replace(/[\\^$.*+?()[\]{}|/-]/gu, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`)
    // One or two letters: only where no letter stands before them, signs of scripts without spaces excepted.
    const short = /^[\p{L}\p{N}]{1,2}$/u.test(word) && !CJK.test(word)
    return texts.some((text) =>
      new RegExp(short ? `(?<![[\\p{L}\\p{N}]--${SIGNS}])${escaped}` : escaped, 'v').test(fold(text)),
    )
  })
}
const SIGNS = '[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Bopo}]'
const CJK = new RegExp(SIGNS, 'v')

function someOf(count: number, longest: number): string[][] {
  const conversation = fc.array(said, { minLength: 1, maxLength: longest })
  return fc.sample(fc.array(conversation, { minLength: count, maxLength: count }), { numRuns: 1, seed: 7 })[0]!
}

describe.each(databases)('search against looking through everything, on $name', (database) => {
  let stage: SearchStage
  const texts = new Map<string, string[]>()
  let newestFirst: string[] = []
  beforeAll(async () => {
    stage = await openSearchStage(database)
    await stage.addUser('usr_1')
    await stage.addUser('usr_2')
    // More than a search looks at before it asks the index: what is rare among the newest is found by it.
    const conversations = [...someOf(140, 2), ...someOf(60, 6)]
    for (const [i, messages] of conversations.entries()) {
      const user_id = i % 10 === 9 ? 'usr_2' : 'usr_1'
      const conversation_id = await stage.open(user_id, messages[0])
      // Some are long: their words stand in different segments.
      const padding = i % 12 === 0 ? [`${'filler '.repeat(1300)}`, 'between', `${'filler '.repeat(1300)}`] : []
      const all = [...messages, ...padding, ...messages.slice(1).map((text) => `${text} end`)]
      for (const text of all) await stage.say(conversation_id, [text])
      if (user_id === 'usr_2') continue
      newestFirst = [conversation_id, ...newestFirst]
      const { title } = await stage.conversations.find(stage.db.read, user_id, conversation_id)
      texts.set(conversation_id, [title, ...all])
    }
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('finds the same, in the same order, whatever is asked', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(query, async (q) => {
        const expected = newestFirst.filter((id) => holds(texts.get(id)!, q))
        expect(await stage.find('usr_1', q)).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })

  test('finds the same page by page', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(query, fc.integer({ min: 1, max: 9 }), async (q, limit) => {
        const found: string[] = []
        let cursor: string | undefined
        do {
          const page = await stage.conversations.list('usr_1', { q, limit, cursor, deleted: 'false' })
          found.push(...page.items.map((item) => item.conversation_id))
          cursor = page.next_cursor ?? undefined
        } while (cursor !== undefined)
        expect(found).toEqual(await stage.find('usr_1', q))
      }),
      { numRuns: 60 },
    )
  })

  test('whatever is found, the snippet shows a word of it', async () => {
    await fc.assert(
      fc.asyncProperty(query, async (q) => {
        const { items } = await stage.conversations.list('usr_1', { q, limit: 20, deleted: 'false' })
        for (const { snippet, hit } of items) {
          expect(snippet === null).toBe(!/[^\s\u180e\p{M}]/u.test(q))
          if (hit) expect(hit.ranges.length).toBeGreaterThan(0)
        }
      }),
      { numRuns: 60 },
    )
  })

  test.each([
    '"'.repeat(200),
    `${'a '.repeat(99)}b`,
    '*'.repeat(200),
    `${'" AND '.repeat(33)}`,
    '('.repeat(200),
    'ab'.repeat(100),
    '日'.repeat(200),
    '%_'.repeat(100),
    'NEAR(a b, 1) {grams}: ^x',
    Array.from({ length: 66 }, (_, i) => `w${i % 10}${i % 7}`)
      .join(' ')
      .slice(0, 200),
  ])('a hostile query is a query: %s', async (q) => {
    expect(await stage.find('usr_1', q)).toEqual(newestFirst.filter((id) => holds(texts.get(id)!, q)))
  })
})
