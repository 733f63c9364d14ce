import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Activity } from '../server/chat/history/activity.ts'
import { Bin } from '../server/chat/conversations/bin.ts'
import { leaseOwner } from '../server/chat/run/leases.ts'
import { indexLeftOver } from '../server/chat/history/searchable.ts'
import { Database } from '../server/db/database.ts'
import { ownerKey } from '../server/db/search-condition.ts'
import { databases, type TestDatabase } from './stage/servers/postgres.ts'
import { openSearchStage, type SearchStage } from './stage/search-stage.ts'

const FULL = 'filler '.repeat(1300)

async function open(database: TestDatabase, observe?: (sql: string) => void): Promise<SearchStage> {
  const stage = await openSearchStage(database, observe)
  onTestFinished(() => stage[Symbol.asyncDispose]())
  await stage.addUser('usr_1')
  return stage
}

async function rowsOf(stage: SearchStage): Promise<[segments: number, indexed: number]> {
  const segments = await stage.db.read.selectFrom('search_segment').select('segment_id').execute()
  const indexed = await stage.db.read.selectFrom('search_index').select('rowid').execute()
  expect(new Set(indexed.map((row) => row.rowid))).toEqual(new Set(segments.map((row) => row.segment_id)))
  return [segments.length, indexed.length]
}

describe.each(databases)('the search index on $name', (database) => {
  test('a write that fails leaves neither text nor index, and the next one finds both', async () => {
    let broken: RegExp | null = null
    const stage = await open(database, (sql) => {
      if (broken?.test(sql)) throw new Error('the disk is full (a fault of the test)')
    })
    const id = await stage.open('usr_1', 'fragile')
    await stage.say(id, ['marmot'])
    const say = () => stage.say(id, ['glacier'])
    const rename = () => stage.conversations.update('usr_1', id, { title: 'glacier' })
    const faults: [RegExp, () => Promise<unknown>][] = [
      [/^delete from "search_segment"/, say],
      [/^insert into "search_segment"/, say],
      [/^insert into "search_index"/, say],
      [/^commit/, say],
      [/^update "search_segment"/, rename],
      [/^delete from "search_index"/, rename],
      [/^insert into "search_index"/, rename],
      [/^commit/, rename],
    ]
    for (const [statement, write] of faults) {
      broken = statement
      await expect(write()).rejects.toThrow('the disk is full')
      broken = null
      expect(await stage.find('usr_1', 'glacier')).toEqual([])
      expect(await stage.find('usr_1', 'marmot fragile')).toEqual([id])
      expect(await rowsOf(stage)).toEqual([1, 1])
    }
    await stage.say(id, ['glacier'])
    expect(await stage.find('usr_1', 'glacier marmot fragile')).toEqual([id])
  })

  test('a renamed conversation is found by its new title only, and does not become newer', async () => {
    const stage = await open(database)
    const first = await stage.open('usr_1', 'old name')
    await stage.say(first, ['shared', FULL])
    await stage.say(first, ['tail'])
    const second = await stage.open('usr_1', 'other')
    await stage.say(second, ['shared'])
    await stage.conversations.update('usr_1', first, { title: 'Ñew näme' })
    expect(await stage.find('usr_1', 'old')).toEqual([])
    expect(await stage.find('usr_1', 'new name tail')).toEqual([first])
    expect(await stage.find('usr_1', 'shared')).toEqual([second, first])
    const [entry] = (await stage.conversations.list('usr_1', { q: 'NEW', limit: 1, deleted: 'false' })).items
    expect(entry).toMatchObject({ snippet: 'Ñew näme', hit: null })
    await stage.say(first, ['more'])
    expect(await stage.find('usr_1', 'shared')).toEqual([first, second])
  })

  test('of a long conversation all words count, wherever they stand', async () => {
    const stage = await open(database)
    const id = await stage.open('usr_1', 'long')
    for (const text of ['alpha', FULL, 'beta', FULL, 'gamma']) await stage.say(id, [text])
    const newer = await stage.open('usr_1', 'newer')
    await stage.say(newer, ['alpha gamma'])
    expect((await rowsOf(stage))[0]).toBe(4)
    expect(await stage.find('usr_1', 'alpha gamma')).toEqual([newer, id])
    expect(await stage.find('usr_1', 'alpha beta gamma long')).toEqual([id])
    expect(await stage.find('usr_1', 'alpha beta delta')).toEqual([])
  })

  test('what is in the bin is found there and nowhere else; filters hold; what is purged leaves nothing', async () => {
    const stage = await open(database)
    const { db, conversations } = stage
    const ids = []
    for (const name of ['one', 'two', 'three']) {
      const id = await stage.open('usr_1', name)
      await stage.say(id, ['needle', FULL])
      await stage.say(id, ['more'])
      ids.push(id)
    }
    const [one, two, three] = ids as [string, string, string]
    await conversations.delete('usr_1', one)
    await conversations.update('usr_1', two, { pinned: true })
    expect(await stage.find('usr_1', 'needle')).toEqual([three, two])
    expect(await stage.find('usr_1', 'needle', { deleted: 'true' })).toEqual([one])
    expect(await stage.find('usr_1', 'needle', { pinned: 'true' })).toEqual([two])
    expect(await stage.find('usr_1', 'needle', { pinned: 'false' })).toEqual([three])
    expect(await stage.find('usr_1', 'needle', { folder_id: 'fld_none' })).toEqual([])
    const eraser = { db, activity: new Activity(db), purgeFiles: async () => {} }
    await new Bin(eraser, leaseOwner(db, 'prc_test')).purge('usr_1', one)
    expect(await stage.find('usr_1', 'needle', { deleted: 'true' })).toEqual([])
    expect(await rowsOf(stage)).toEqual([4, 4])
    await db.write.deleteFrom('user').where('user_id', '=', 'usr_1').execute()
    expect(await rowsOf(stage)).toEqual([0, 0])
  })

  test('nobody finds what is somebody else’s, not even where two owners share a key', async () => {
    const stage = await open(database)
    const byKey = new Map<string, string>()
    let pair: [string, string] | null = null
    for (let i = 0; pair === null; i++) {
      const user_id = `usr_${i}x`
      const other = byKey.get(ownerKey(user_id))
      if (other) pair = [user_id, other]
      byKey.set(ownerKey(user_id), user_id)
    }
    for (const user_id of pair) await stage.addUser(user_id)
    const [mine, theirs] = pair
    const id = await stage.open(mine, 'mine')
    await stage.say(id, ['needle', FULL])
    await stage.say(id, ['needle again'])
    const short = await stage.open(mine, 'short')
    await stage.say(short, ['needle'])
    expect(await stage.find(mine, 'needle')).toEqual([short, id])
    expect(await stage.find(theirs, 'needle')).toEqual([])
    expect(await stage.find('usr_1', 'needle')).toEqual([])
  })

  test('messages and titles that are stored at once are all found', async () => {
    const stage = await open(database)
    const id = await stage.open('usr_1', 'before')
    const words = Array.from({ length: 12 }, (_, i) => `parallel${i}x`)
    await Promise.all([
      ...words.map((word) => stage.say(id, [word])),
      stage.conversations.update('usr_1', id, { title: 'afterwards' }),
    ])
    expect(await stage.find('usr_1', `${words.join(' ')} afterwards`)).toEqual([id])
    expect(await rowsOf(stage)).toEqual([1, 1])
  })

  test('what a process left of an answer when it died is found once the run is ended', async () => {
    const stage = await open(database)
    const id = await stage.open('usr_1', 'cut off')
    const message_id = await stage.say(id, ['asked'])
    const part = { message_id, part_index: 1, step: 1, type: 'text', text: 'half an answ', data: '{}' } as const
    await stage.db.write.insertInto('message_part').values(part).execute()
    expect(await stage.find('usr_1', 'half answ')).toEqual([])
    await stage.db.transaction((trx) => indexLeftOver(trx, message_id))
    expect(await stage.find('usr_1', 'half answ asked')).toEqual([id])
    await stage.say(id, [FULL, 'end'])
    await stage.db.transaction((trx) => indexLeftOver(trx, message_id))
    const bodies = await stage.db.read.selectFrom('search_segment').select('body').execute()
    expect(
      bodies
        .map(({ body }) => body)
        .join('\n')
        .split('half an answ'),
    ).toHaveLength(2)
  })

  test('the hit names the newest message with the most words, and its place in it', async () => {
    const stage = await open(database)
    const id = await stage.open('usr_1', 'apple pear')
    await stage.say(id, ['apple pear one'])
    const both = await stage.say(id, ['nothing', 'Äpple, then PEÄR'])
    await stage.say(id, ['apple alone'])
    const entry = async (q: string) =>
      (await stage.conversations.list('usr_1', { q, limit: 1, deleted: 'false' })).items[0]
    expect(await entry('pear apple')).toMatchObject({
      snippet: 'Äpple, then PEÄR',
      hit: {
        message_id: both,
        ranges: [
          [0, 5],
          [12, 16],
        ],
      },
    })
    const file = { file_id: 'fil_1', name: 'Übersicht_2026.xlsx', media_type: 'x/y', size: 1, extension: 'xlsx' }
    const message_id = await stage.say(id, [{ type: 'file', data: file, find: file.name }])
    expect(await entry('sicht_20')).toMatchObject({ snippet: file.name, hit: { message_id, ranges: [[4, 12]] } })
  })
})

test.runIf(databases.some(({ name }) => name === 'sqlite'))('a restored backup searches at once', async () => {
  const stage = await open(databases[0]!)
  const id = await stage.open('usr_1', 'kept')
  await stage.say(id, ['marmot'])
  const backup = (await stage.db.dialect.backup('test'))!
  const folder = await mkdtemp(join(tmpdir(), 'reeve-restored-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await copyFile(backup, join(folder, 'reeve.db'))
  const restored = await openSearchStageOn(folder)
  expect(await restored('marm')).toEqual([id])
})

async function openSearchStageOn(folder: string) {
  const { ConversationSearch } = await import('../server/chat/search/search.ts')
  const db = await Database.open({ url: null, folder, onError: () => undefined })
  const search = new ConversationSearch(db)
  onTestFinished(async () => {
    await search[Symbol.asyncDispose]()
    await db[Symbol.asyncDispose]()
  })
  return async (word: string) =>
    (await search.list('usr_1', [word], { q: word, limit: 5, deleted: 'false' })).found.map(
      (each) => each.row.conversation_id,
    )
}
