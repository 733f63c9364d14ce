import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { TestClient } from './stage/client.ts'
import { lastAnswer, noticesOf, openStage, partsOf, say, type Stage } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'

describe.each(databases)('an engine in trouble on $name', (database) => {
  let stage: Stage
  let ann: TestClient
  beforeAll(async () => {
    stage = await openStage(database)
    ann = await stage.as('ann')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  /** Sends into a conversation that exists, so that what became of it can be read after the error. */
  async function refusal(cue: string) {
    const { conversation_id } = await ann.call(contract.chat.reset)
    const error = await say(ann, cue, { conversation_id }).catch((refused: unknown) => refused)
    const answer = await lastAnswer(ann, conversation_id)
    const run = await ann.call(contract.chat.run, { params: { run_id: answer.run_id ?? '' } })
    return { error, answer, run, conversation_id }
  }

  async function failureInList(conversation_id: string) {
    const { items } = await ann.call(contract.chat.listConversations)
    return items.find((item) => item.conversation_id === conversation_id)?.failure
  }

  const asksToWait = (status: number, seconds: number) => [
    { status, headers: { 'retry-after': String(seconds) }, body: { error: { message: 'slow down' } } },
  ]

  test.each([
    ['a rate limit', asksToWait(429, 1), asksToWait(429, 0)],
    ['an engine that is overloaded', asksToWait(503, 1), [{ status: 529, headers: { 'retry-after': '0' }, body: '' }]],
  ])('%s with Retry-After is waited for, and said once, with the latest time', async (name, first, second) => {
    const cue = `iron ${name}`
    const requests = stage.play(cue, [first, second, [{ text: 'Here I am.' }]])
    const { answer, conversation_id } = await say(ann, cue)
    expect(answer).toBe('Here I am.')
    expect(requests).toHaveLength(3)
    const notices = partsOf(await lastAnswer(ann, conversation_id), 'notice').map(({ notice }) => notice)
    expect(notices).toMatchObject([
      { code: 'rate_limited', seconds: 0, retry_at: expect.any(String), text: 'The provider asks to wait 0 s' },
    ])
  })

  test('an engine that never asks for a pause is not asked for ever', async () => {
    const requests = stage.play('nickel', () => asksToWait(429, 0))
    const { answer, run } = await refusal('nickel')
    expect(run.error_code).toBe('engine_rate')
    expect(noticesOf(answer)).toEqual(['rate_limited', 'engine_rate'])
    expect(requests).toHaveLength(61)
  })

  test('a rate limit that lasts longer than a run waits is 503, at once', async () => {
    const body = { error: { message: 'come back tomorrow' } }
    const requests = stage.play('copper', [[{ status: 429, headers: { 'retry-after': '3600' }, body }]])
    const { error, answer, run } = await refusal('copper')
    expect(error).toMatchObject({ status: 503, code: 'ai_unavailable' })
    expect(requests).toHaveLength(1)
    expect(answer.status).toBe('failed')
    expect(run).toMatchObject({ status: 'failed', error_code: 'engine_rate' })
    expect(partsOf(answer, 'notice').at(-1)?.notice).toMatchObject({
      code: 'engine_rate',
      text: 'The provider asks to wait 3600 s',
      detail: 'come back tomorrow',
      seconds: 3600,
      retry_at: expect.any(String),
    })
  })

  test.each([
    ['a status that nobody knows', { status: 501, body: 'not built' }, 'engine_error'],
    ['a wrong key', { status: 401, body: { error: { message: 'bad key sk-test-key' } } }, 'engine_key'],
    ['no credit', { status: 402, body: 'Payment Required' }, 'engine_quota'],
    ['an unknown model', { status: 404, body: { error: { message: 'no such model' } } }, 'engine_model'],
    ['garbage', { raw: 'data: {not json\n\n' }, 'engine_answer'],
  ])('%s is 503 and the conversation goes on afterwards', async (name, step, code) => {
    const cue = `zinc ${name}`
    stage.play(cue, [[step], [{ text: 'Back again.' }]])
    const { error, answer, run, conversation_id } = await refusal(cue)
    expect(error).toMatchObject({ status: 503, code: 'ai_unavailable' })
    expect(String(error)).not.toContain('sk-test-key')
    expect(answer.status).toBe('failed')
    expect(run.error_code).toBe(code)
    expect(noticesOf(answer)).toEqual([code])
    expect(JSON.stringify(answer)).not.toContain('sk-test-key')
    expect(await failureInList(conversation_id)).toBe(code)
    expect((await say(ann, cue, { conversation_id })).answer).toBe('Back again.')
    expect(await failureInList(conversation_id)).toBeNull()
  })

  test.each([
    ['cut', { cut: true as const }, 'engine_cut'],
    ['ended without a finish', { end: true as const }, 'engine_cut'],
    ['an error in the stream', { error: { message: 'out of memory', type: 'server_error' } }, 'engine_error'],
  ])('%s in the middle: 503, and what was said is kept', async (name, step, code) => {
    const cue = `tin ${name}`
    stage.play(cue, [[{ text: 'As I was saying' }, step]])
    const { error, answer } = await refusal(cue)
    expect(error).toMatchObject({ status: 503, code: 'ai_unavailable' })
    expect(answer.status).toBe('failed')
    expect(partsOf(answer, 'text').map((part) => part.text)).toEqual(['As I was saying'])
    expect(noticesOf(answer)).toEqual([code])
  })

  test('what came before the break is kept with the calls that ran, and nothing runs twice', async () => {
    const requests = stage.play('lead', [
      [{ text: 'First.' }, { calls: [{ name: 'system.host', arguments: {} }] }],
      [{ text: 'Second' }, { cut: true }],
    ])
    const { error, answer } = await refusal('lead')
    expect(error).toMatchObject({ status: 503 })
    expect(requests).toHaveLength(2)
    expect(partsOf(answer, 'text').map((part) => part.text)).toEqual(['First.', 'Second'])
    expect(partsOf(answer, 'tool_call').map((part) => part.tool_call.status)).toEqual(['done'])
  })

  test('a request that the engine refuses is 500 run_failed, with what it said and without the key', async () => {
    stage.play('gold', [
      [{ status: 400, body: { error: { message: 'temperature is not supported with sk-test-key' } } }],
    ])
    const { error, answer, run } = await refusal('gold')
    expect(error).toMatchObject({ status: 500, code: 'run_failed' })
    expect(String(error)).toContain('temperature is not supported')
    expect(String(error)).not.toContain('sk-test-key')
    expect(noticesOf(answer)).toEqual(['engine_refused'])
    expect(run).toMatchObject({ status: 'failed', error_code: 'engine_refused' })
  })

  test('the activity tells of the failure and nothing stays active', async () => {
    stage.play('silver', [[{ text: 'Well,' }, { cut: true }]])
    const { answer } = await refusal('silver')
    const snapshot = await ann.call(contract.chat.activity)
    expect(snapshot).toMatchObject({ active: 0, cancellable: false })
    const told = snapshot.events.filter((event) => event.run_id === answer.run_id).map((event) => event.type)
    expect(told.filter((type) => type.startsWith('run.') && type !== 'run.started')).toEqual(['run.failed'])
  })
})

describe('an engine that is not there', () => {
  test('503 ai_unavailable, and the message is stored', async () => {
    await using stage = await openStage(databases[0]!, {
      engine: false,
      env: { REEVE_AI_BASE_URL: 'http://127.0.0.1:9/v1', REEVE_AI_MODEL: 'gone' },
    })
    const ann = await stage.as('ann')
    await expect(say(ann, 'Anybody there?')).rejects.toMatchObject({ status: 503, code: 'ai_unavailable' })
    const { items } = await ann.call(contract.chat.listConversations, { query: { q: 'Anybody' } })
    expect(items).toMatchObject([{ failure: 'engine_network' }])
    const { messages } = await ann.call(contract.chat.history)
    expect(messages.map((message) => [message.role, message.status])).toEqual([
      ['user', 'complete'],
      ['assistant', 'failed'],
    ])
  })
})
