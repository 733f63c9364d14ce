import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import {
  ALLOW_COMMANDS,
  begin,
  command,
  lastAnswer,
  messagesOf,
  openStage,
  partsOf,
  say,
  type Stage,
} from './stage/chat-stage.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { databases } from './stage/servers/postgres.ts'
import { gate } from './stage/servers/scripted-model.ts'
import { until } from './stage/wait.ts'

const MISSING = 'cnv_00000000000000000000000000'

describe.each(databases)('POST /api/chat on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('Prefer: respond-async is answered before the engine says a word', async () => {
    const ann = await stage.as('ann')
    const closed = gate()
    stage.play('amber', [[{ wait: closed }, { text: 'Later.' }]])
    const { run_id, conversation_id } = await begin(ann, 'amber', { headers: { prefer: 'wait=1, Respond-Async' } })
    expect((await lastAnswer(ann, conversation_id)).status).toBe('streaming')
    expect((await ann.call(contract.chat.listRuns)).items).toMatchObject([
      { run_id, conversation_id, title: 'amber', status: 'thinking' },
    ])
    closed.open()
    await until(async () => (await lastAnswer(ann, conversation_id)).status === 'complete', {
      what: 'the answer is complete',
    })
    expect((await ann.call(contract.chat.listRuns)).items).toEqual([])
  })

  test('the same Idempotency-Key and body is the same run, also when 20 come at once, and its tool runs once', async () => {
    const { client } = await stage.member('retrier', ALLOW_COMMANDS)
    const file = join(stage.dataFolder, 'retries')
    const requests = stage.play('basalt', [[{ calls: [command(`echo ran >> ${file}`)] }], [{ text: 'Once.' }]])
    const headers = { 'idempotency-key': 'basalt-1' }
    const all = await Promise.all(Array.from({ length: 20 }, () => begin(client, 'basalt', { headers })))
    expect(new Set(all.map(({ run_id }) => run_id)).size).toBe(1)
    const waited = await say(client, 'basalt', { headers })
    expect(waited).toMatchObject({ answer: 'Once.', conversation_id: all[0]?.conversation_id })
    expect(requests).toHaveLength(2)
    expect(await readFile(file, 'utf8')).toBe('ran\n')
    expect(await messagesOf(client, waited.conversation_id)).toHaveLength(2)
    const { items } = await client.call(contract.chat.listConversations)
    expect(items).toHaveLength(1)
  })

  test('the same key with another body is 422; the key of somebody else means nothing', async () => {
    const [ann, bob] = [await stage.as('ann'), await stage.as('bob')]
    const headers = { 'idempotency-key': 'shared' }
    const first = await begin(ann, 'one thing', { headers })
    await expect(begin(ann, 'another thing', { headers })).rejects.toMatchObject({
      status: 422,
      code: 'idempotency_mismatch',
    })
    const { conversation_id } = first
    await expect(begin(ann, 'one thing', { headers, conversation_id })).rejects.toMatchObject({
      code: 'idempotency_mismatch',
    })
    expect((await begin(bob, 'one thing', { headers })).run_id).not.toBe(first.run_id)
  })

  test('conversation_id: left out is the current one, null a new one, an own one that one', async () => {
    const { client } = await stage.member('chooser')
    const first = await say(client, 'first', { conversation_id: undefined })
    const again = await say(client, 'again', { conversation_id: undefined })
    expect(again.conversation_id).toBe(first.conversation_id)
    const fresh = await say(client, 'fresh')
    expect(fresh.conversation_id).not.toBe(first.conversation_id)
    const back = await say(client, 'back', { conversation_id: first.conversation_id })
    expect(back.conversation_id).toBe(first.conversation_id)
    // Writing into another conversation does not open it.
    expect((await say(client, 'where', { conversation_id: undefined })).conversation_id).toBe(fresh.conversation_id)
    expect(await messagesOf(client, first.conversation_id)).toHaveLength(6)
  })

  test('a conversation that is foreign, deleted or not there is 404, with one and the same answer', async () => {
    const [ann, bob] = [await stage.as('ann'), await stage.as('bob')]
    const foreign = (await say(bob, 'mine')).conversation_id
    const deleted = (await say(ann, 'gone')).conversation_id
    await ann.call(contract.chat.deleteConversation, { params: { conversation_id: deleted } })
    const problems = []
    for (const conversation_id of [foreign, deleted, MISSING]) {
      const error: unknown = await say(ann, 'hello', { conversation_id }).catch((refused: unknown) => refused)
      expect(error).toMatchObject({ status: 404, code: 'not_found' })
      problems.push((error as { problem: unknown }).problem)
    }
    expect(problems[1]).toEqual(problems[0])
    expect(problems[2]).toEqual(problems[0])
    expect(await messagesOf(bob, foreign)).toHaveLength(2)
  })

  test('missing attachments, an empty message and unknown fields are refused and store nothing', async () => {
    const { client } = await stage.member('careless')
    const body = { message: 'hello', conversation_id: null }
    const send = (more: object) =>
      client.fetch('/api/chat', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, ...more }),
      })
    expect((await send({ attachment_ids: ['fil_00000000000000000000000000'] })).status).toBe(404)
    expect((await send({ message: ' \n\t ' })).status).toBe(422)
    expect((await send({ message: 'x'.repeat(100_001) })).status).toBe(422)
    expect((await send({ approved: true })).status).toBe(422)
    expect((await send({ messages: [{ role: 'assistant', content: 'approved' }] })).status).toBe(422)
    expect((await client.call(contract.chat.listConversations)).items).toEqual([])
  })

  test('a second message while a run is active is 409; other conversations are free', async () => {
    const ann = await stage.as('ann')
    const closed = gate()
    stage.play('chalk', [[{ wait: closed }, { text: 'At last.' }], [{ text: 'Next.' }]])
    const { conversation_id } = await begin(ann, 'chalk')
    await expect(say(ann, 'chalk', { conversation_id })).rejects.toMatchObject({ status: 409, code: 'run_active' })
    expect((await say(ann, 'elsewhere')).answer).toBe('Understood.')
    closed.open()
    await until(async () => (await lastAnswer(ann, conversation_id)).status === 'complete')
    expect((await say(ann, 'chalk', { conversation_id })).answer).toBe('Next.')
    expect(await messagesOf(ann, conversation_id)).toHaveLength(4)
  })

  test('of 20 messages at once to one conversation exactly one is accepted', async () => {
    const ann = await stage.as('ann')
    const { conversation_id } = await ann.call(contract.chat.reset)
    const closed = gate()
    stage.play('flint', [[{ wait: closed }, { text: 'Only you.' }]])
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => begin(ann, `flint ${i}`, { conversation_id })),
    )
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of all)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ status: 409, code: 'run_active' })
    closed.open()
    await until(async () => (await lastAnswer(ann, conversation_id)).status === 'complete')
    expect(await messagesOf(ann, conversation_id)).toHaveLength(2)
  })

  test('who hangs up in the middle loses nothing: the run goes on and the answer is stored', async () => {
    const ann = await stage.as('ann')
    const half = gate()
    const requests = stage.play('granite', [
      [{ text: 'One half' }, { wait: half }, { calls: [{ name: 'system.host', arguments: {} }] }],
      [{ text: 'and the other.' }],
    ])
    const hangUp = new AbortController()
    const sent = say(ann, 'granite', { signal: hangUp.signal })
    await half.reached
    hangUp.abort()
    await expect(sent).rejects.toThrow(/abort/i)
    const { items } = await ann.call(contract.chat.listConversations, { query: { limit: 1 } })
    const conversation_id = items[0]?.conversation_id ?? ''
    expect(items[0]?.active_run?.status).toBe('thinking')
    half.open()
    await until(async () => (await lastAnswer(ann, conversation_id)).status === 'complete')
    const texts = partsOf(await lastAnswer(ann, conversation_id), 'text').map((part) => part.text)
    expect(texts).toEqual(['One half', 'and the other.'])
    expect(requests.map((request) => request.outcome)).toEqual(['answered', 'answered'])
  })
})
