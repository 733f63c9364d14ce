import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openStage, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'

/** What is said, by a name for the conversation. */
const SAID = {
  cafe: 'Le café noir de Zażółć Gęślą',
  russian: 'Посмотри, сколько ещё места на Ёлке',
  chinese: '服务器磁盘空间不足',
  japanese: 'サーバーの状態を確認',
  korean: '디스크 공간을 확인',
  percent: 'The disk is 95% full',
  underscore: 'the variable disk_size_total',
  backslash: 'the path C:\\Windows\\temp',
  plain: 'The disk isX full of diskXsize 95X things',
  straße: 'Die STRASSE und ﬁnance ＦＵＬＬ',
  words: 'apples on monday, pears on tuesday',
}
type Name = keyof typeof SAID

describe.each(databases)('search in conversations on $name', (database) => {
  let stage: Stage
  let client: TestClient
  const names = new Map<string, Name>()
  beforeAll(async () => {
    stage = await openStage(database)
    client = (await stage.member('searcher')).client
    for (const [name, text] of Object.entries(SAID) as [Name, string][]) {
      // A title of its own, so that what is found is found in the text.
      const { conversation_id } = await client.call(contract.chat.reset)
      await client.call(contract.chat.updateConversation, {
        params: { conversation_id },
        body: { title: `Title ${names.size}` },
      })
      await say(client, text, { conversation_id })
      names.set(conversation_id, name)
    }
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  async function find(q: string): Promise<(Name | undefined)[]> {
    const { items, query } = await client.call(contract.chat.listConversations, { query: { q } })
    expect(query).toBe(q)
    return items.map((item) => names.get(item.conversation_id))
  }

  test.each<[string, Name[]]>([
    ['café', ['cafe']],
    ['CAFE', ['cafe']],
    ['cafe\u0301', ['cafe']],
    ['zażo', ['cafe']],
    ['gesla', ['cafe']],
    ['еще', ['russian']],
    ['ЁЛКЕ', ['russian']],
    ['елке', ['russian']],
    ['посмотри', ['russian']],
    ['磁', ['chinese']],
    ['磁盘空间', ['chinese']],
    ['サーバー', ['japanese']],
    ['状態', ['japanese']],
    ['디스크', ['korean']],
    ['95%', ['percent']],
    ['disk_size', ['underscore']],
    ['C:\\Win', ['backslash']],
    ['\\', ['backslash']],
    ['%', ['percent']],
    ['_', ['underscore']],
    ['sk_si', ['underscore']],
    ['strasse', ['straße']],
    ['finance', ['straße']],
    ['apples tuesday', ['words']],
    ['tuesday   apples', ['words']],
    ['apples wednesday', []],
    ['nothing like that', []],
  ])('%s', async (q, expected) => {
    expect(await find(q)).toEqual(expected)
  })

  test('newest first, and pages go on within what was found', async () => {
    const found = ['plain', 'underscore', 'percent']
    expect(await find('disk')).toEqual(found)
    const paged: (Name | undefined)[] = []
    let cursor: string | undefined
    do {
      const page = await client.call(contract.chat.listConversations, { query: { q: 'disk', limit: 1, cursor } })
      paged.push(...page.items.map((item) => names.get(item.conversation_id)))
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
    expect(paged).toEqual(found)
  })

  test('two words may stand in different messages of one conversation', async () => {
    const { conversation_id } = await say(client, 'first about marmots')
    await say(client, 'then about glaciers', { conversation_id })
    const { items } = await client.call(contract.chat.listConversations, { query: { q: 'marmots glaciers' } })
    expect(items.map((item) => item.conversation_id)).toEqual([conversation_id])
  })

  test('titles, answers and arguments of tools are found; reasoning is not; there is a snippet', async () => {
    stage.play('quokka', [
      [
        { reasoning: 'secretthought' },
        { calls: [{ name: 'system.processes', arguments: { filter: 'needleinarguments' } }] },
      ],
      [{ text: `${'long '.repeat(30)}the answer is Wombat${' tail'.repeat(60)}` }],
    ])
    const { conversation_id } = await say(client, 'quokka')
    const find = async (q: string) =>
      (await client.call(contract.chat.listConversations, { query: { q } })).items.filter(
        (item) => item.conversation_id === conversation_id,
      )
    expect(await find('needleinarg')).toHaveLength(1)
    expect(await find('system.proc')).toHaveLength(1)
    expect(await find('secretthought')).toEqual([])
    const [hit] = await find('wombat')
    expect(hit?.snippet).toMatch(/^….*wombat/i)
    expect(hit?.snippet?.length).toBeLessThanOrEqual(162)
    await client.call(contract.chat.updateConversation, { params: { conversation_id }, body: { title: 'Überlegung' } })
    expect((await find('uberleg'))[0]).toMatchObject({ snippet: 'Überlegung', hit: null })
    expect((await client.call(contract.chat.listConversations)).items[0]).toMatchObject({ snippet: null, hit: null })
  })
})
