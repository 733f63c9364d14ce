import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { begin, messagesOf, noticesOf, openStage, partsOf, say, textOf, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'
import { gate } from './stage/servers/scripted-model.ts'

const { chat } = contract

describe.each(databases)('branches of a conversation on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const texts = async (client: TestClient, id: string) =>
    (await messagesOf(client, id)).map((message) =>
      partsOf(message, 'text')
        .map((part) => part.text)
        .join(''),
    )
  const retry = (client: TestClient, conversation_id: string, message_id: string, headers = {}) =>
    client.call(chat.retry, { body: { conversation_id, message_id }, headers })
  const edit = (client: TestClient, conversation_id: string, edits: string, message: string) =>
    client.call(chat.send, { body: { conversation_id, edits, message } })

  test('a retry answers again beside the first answer, and the model does not see the first', async () => {
    const { client } = await stage.member('retry')
    const requests = stage.play('dice', [[{ text: 'one' }], [{ text: 'two' }], [{ text: 'three' }]])
    const { conversation_id } = await say(client, 'throw the dice')
    const [question, first] = await messagesOf(client, conversation_id)
    const answer = await retry(client, conversation_id, first!.message_id)
    expect(answer).toMatchObject({ status: 200, body: { answer: 'two' } })
    expect(requests[1]!.messages.map((message) => message.role)).toEqual(['system', 'user'])
    expect(await texts(client, conversation_id)).toEqual(['throw the dice', 'two'])
    await retry(client, conversation_id, question!.message_id)
    const [, shown] = await messagesOf(client, conversation_id)
    expect(partsOf(shown!, 'text')[0]!.text).toBe('three')
    expect(shown!.siblings).toHaveLength(3)
    expect(shown!.siblings[0]).toBe(first!.message_id)
    expect(shown!.siblings.at(-1)).toBe(shown!.message_id)
    expect((await messagesOf(client, conversation_id))[0]!.siblings).toEqual([])
  })

  test('an edit begins a branch of its own; choosing goes down to its newest end, for the model as well', async () => {
    const { client } = await stage.member('edit')
    const requests = stage.play('fruit', (_request, index) => [{ text: `answer ${index}` }])
    const { conversation_id } = await say(client, 'fruit: apples')
    await say(client, 'more fruit', { conversation_id })
    const [first, , second] = await messagesOf(client, conversation_id)
    await edit(client, conversation_id, first!.message_id, 'fruit: pears')
    expect(await texts(client, conversation_id)).toEqual(['fruit: pears', 'answer 2'])
    await client.call(chat.chooseBranch, { params: { conversation_id }, body: { message_id: first!.message_id } })
    expect(await texts(client, conversation_id)).toEqual(['fruit: apples', 'answer 0', 'more fruit', 'answer 1'])
    await edit(client, conversation_id, second!.message_id, 'other fruit')
    expect(await texts(client, conversation_id)).toEqual(['fruit: apples', 'answer 0', 'other fruit', 'answer 3'])
    expect(requests[3]!.messages.slice(1).map((message) => textOf(message.content))).toEqual([
      'fruit: apples',
      'answer 0',
      'other fruit',
    ])
    // Pages go back along the shown branch only.
    const newest = await client.call(chat.conversation, { params: { conversation_id }, query: { limit: 1 } })
    const before = await client.call(chat.conversation, {
      params: { conversation_id },
      query: { limit: 2, before: newest.next_before! },
    })
    expect(before.messages.map((message) => partsOf(message, 'text')[0]!.text)).toEqual(['answer 0', 'other fruit'])
  })

  test('what is not there, not a person’s message, or somebody else’s is not found', async () => {
    const { client } = await stage.member('guard')
    const { client: other } = await stage.member('guard2')
    const { conversation_id } = await say(client, 'hello')
    const { conversation_id: elsewhere } = await say(client, 'elsewhere')
    const [question, answer] = await messagesOf(client, conversation_id)
    const [foreign] = await messagesOf(client, elsewhere)
    const missing = { code: 'not_found' }
    await expect(edit(client, conversation_id, answer!.message_id, 'x')).rejects.toMatchObject(missing)
    await expect(edit(client, conversation_id, foreign!.message_id, 'x')).rejects.toMatchObject(missing)
    await expect(retry(client, conversation_id, foreign!.message_id)).rejects.toMatchObject(missing)
    await expect(retry(other, conversation_id, question!.message_id)).rejects.toMatchObject(missing)
    const choose = (as: TestClient, message_id: string) =>
      as.call(chat.chooseBranch, { params: { conversation_id }, body: { message_id } })
    await expect(choose(other, question!.message_id)).rejects.toMatchObject(missing)
    await expect(choose(client, foreign!.message_id)).rejects.toMatchObject(missing)
    expect(await texts(client, conversation_id)).toEqual(['hello', 'Understood.'])
  })

  test('one run at a time: retry, edit and choosing wait for it; a repeated retry attaches to its run', async () => {
    const { client } = await stage.member('busy')
    const hold = gate()
    stage.play('slow', [[{ wait: hold }, { text: 'done' }], [{ text: 'again' }]])
    const { conversation_id } = await begin(client, 'slow one')
    await hold.reached
    const [question] = await messagesOf(client, conversation_id)
    const active = { code: 'run_active' }
    await expect(retry(client, conversation_id, question!.message_id)).rejects.toMatchObject(active)
    await expect(edit(client, conversation_id, question!.message_id, 'x')).rejects.toMatchObject(active)
    await expect(
      client.call(chat.chooseBranch, { params: { conversation_id }, body: { message_id: question!.message_id } }),
    ).rejects.toMatchObject(active)
    hold.open()
    const key = { 'idempotency-key': 'again' }
    await client.call(chat.cancel, { body: {} })
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => retry(client, conversation_id, question!.message_id, key)),
    )
    expect(new Set(answers.map((answer) => (answer.status === 200 ? answer.body.answer : '')))).toEqual(
      new Set(['again']),
    )
    expect((await messagesOf(client, conversation_id)).at(-1)!.siblings).toHaveLength(2)
  })

  test('a summary holds for its own branch only', async () => {
    const small = await openStage(database, { env: { REEVE_AI_CONTEXT_TOKENS: '6000' } })
    await using _ = small
    const { client } = await small.member('summary')
    const long = 'word '.repeat(500)
    const requests = small.play('Zebra', () => [{ text: 'Fine.' }])
    const { conversation_id } = await say(client, `Zebra start ${long}`)
    for (let i = 0; i < 5; i++) await say(client, `Zebra ${i} ${long}`, { conversation_id })
    const shown = await messagesOf(client, conversation_id)
    expect(shown.flatMap(noticesOf)).toContain('context_compacted')
    await edit(client, conversation_id, shown[0]!.message_id, 'Zebra, a fresh start')
    expect(textOf(requests.at(-1)!.messages[1]!.content)).toBe('Zebra, a fresh start')
    expect(requests.at(-1)!.messages).toHaveLength(2)
  })
})
