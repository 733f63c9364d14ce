import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { begin, openStage, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'
import { gate } from './stage/servers/scripted-model.ts'
import { until } from './stage/wait.ts'

describe.each(databases)('titles of conversations on $name', (database) => {
  let stage: Stage
  let ann: TestClient
  beforeAll(async () => {
    stage = await openStage(database, { env: { REEVE_AI_TITLES: 'true' } })
    ann = await stage.as('ann')
  })
  afterAll(() => stage[Symbol.asyncDispose]())
  const titleOf = async (conversation_id: string) =>
    (await ann.call(contract.chat.conversation, { params: { conversation_id } })).title
  const sourceOf = async (conversation_id: string) =>
    (
      await stage.app.db.read
        .selectFrom('conversation')
        .select('title_source')
        .where('conversation_id', '=', conversation_id)
        .executeTakeFirstOrThrow()
    ).title_source

  test('an engine names one after its first exchange, once, and it counts', async () => {
    const requests = stage.play('opal', [
      [{ text: 'It is full of logs.' }],
      [{ text: '**"Full disk."**\n' }, { usage: { prompt_tokens: 90, completion_tokens: 5 } }],
      [{ text: 'Delete the old ones.' }],
    ])
    const before = await ann.call(contract.usage.myUsage, { query: { days: 1 } })
    const { conversation_id } = await say(ann, 'Why is the disk full, opal?')
    await until(async () => (await titleOf(conversation_id)) === 'Full disk')
    const asked = JSON.stringify(requests[1]?.messages)
    expect(asked).toContain('Why is the disk full, opal?')
    expect(asked).toContain('It is full of logs.')
    expect(requests[1]?.tools).toEqual([])
    const after = await ann.call(contract.usage.myUsage, { query: { days: 1 } })
    expect(after.day.messages.used - before.day.messages.used).toBe(1)
    expect(after.day.tokens.used - before.day.tokens.used).toBeGreaterThanOrEqual(95)
    const found = await ann.call(contract.chat.listConversations, { query: { q: 'Full disk' } })
    expect(found.items.map((item) => item.conversation_id)).toContain(conversation_id)
    await say(ann, 'And now, opal?', { conversation_id })
    expect(requests).toHaveLength(3)
    expect(await titleOf(conversation_id)).toBe('Full disk')
  })

  test('a name that its owner gives meanwhile stays', async () => {
    const hold = gate()
    stage.play('ruby', [[{ text: 'Yes.' }], [{ wait: hold }, { text: 'Too late' }]])
    const { conversation_id } = await say(ann, 'Is it, ruby?')
    await hold.reached
    await ann.call(contract.chat.updateConversation, { params: { conversation_id }, body: { title: 'Mine' } })
    hold.open()
    const used = async () => (await ann.call(contract.usage.myUsage, { query: { days: 1 } })).day.messages.used
    expect(await used()).toBeGreaterThan(0)
    await say(ann, 'Hello again', { conversation_id })
    expect(await titleOf(conversation_id)).toBe('Mine')
    expect(await sourceOf(conversation_id)).toBe('user')
  })

  test('when the engine fails at it, the first words stay, and nobody asks again', async () => {
    const requests = stage.play('jade', [[{ text: 'Sure.' }], [{ status: 500, body: 'oops' }], [{ text: 'Again.' }]])
    const { conversation_id } = await say(ann, '**Can** you, jade?')
    await until(() => requests.length === 2)
    await say(ann, 'And you, jade?', { conversation_id })
    expect([await titleOf(conversation_id), await sourceOf(conversation_id)]).toEqual(['Can you, jade?', 'engine'])
    expect(requests).toHaveLength(3)
  })

  test('the answer does not wait for it', async () => {
    const hold = gate()
    stage.play('pearl', [[{ text: 'Done.' }], [{ wait: hold }, { text: 'Pearls' }]])
    const { answer, conversation_id } = await say(ann, 'Ready, pearl?')
    expect(answer).toBe('Done.')
    await hold.reached
    expect(await titleOf(conversation_id)).toBe('Ready, pearl?')
    hold.open()
    await until(async () => (await titleOf(conversation_id)) === 'Pearls')
  })

  test('in direct mode it is the title of the tool and its main argument', async () => {
    const tools = await ann.call(contract.chat.listTools)
    const { title } = tools.items.find(({ module, tool }) => module === 'system' && tool === 'processes')!
    const { conversation_id } = await begin(ann, '/system.processes sort=memory limit=3')
    expect(await titleOf(conversation_id)).toBe(`${title}: memory`)
    const plain = await begin(ann, '/system.processes', { conversation_id: null })
    expect(await titleOf(plain.conversation_id)).toBe(title)
    await until(async () => (await ann.call(contract.chat.listRuns)).items.length === 0)
    expect(await sourceOf(conversation_id)).toBe('auto')
  })

  test('can be switched off, and then nobody is asked', async () => {
    const admin = await stage.as('admin')
    await admin.call(contract.engines.saveTitles, { body: { titles: false } })
    expect((await admin.call(contract.engines.listEngines)).titles).toBe(false)
    const requests = stage.play('amber', [[{ text: 'One.' }], [{ text: 'Two.' }]])
    const { conversation_id } = await say(ann, 'First amber')
    await say(ann, 'Second amber', { conversation_id })
    expect(requests).toHaveLength(2)
    expect([await titleOf(conversation_id), await sourceOf(conversation_id)]).toEqual(['First amber', 'auto'])
  })
})
