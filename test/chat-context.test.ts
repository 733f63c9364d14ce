import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { lastAnswer, noticesOf, openStage, partsOf, say, textOf, type Member, type Stage } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import type { ScriptedRequest } from './stage/servers/scripted-model.ts'

const SENTENCES = 'The quick brown fox jumps over the lazy dog. '.repeat(10)
const LONG = SENTENCES.repeat(3)
const SUMMARY = 'The person counts foxes; there are seven.'

describe.each(databases)('a conversation that outgrows the model on $name', (database) => {
  let stage: Stage
  let member: Member
  beforeAll(async () => {
    stage = await openStage(database, {
      env: { REEVE_AI_CONTEXT_TOKENS: '3000', REEVE_AI_PRICE_INPUT: '2', REEVE_AI_PRICE_OUTPUT: '8' },
    })
    // Without tools in the prompt its size is the conversation's alone.
    member = await stage.member('ann', [{ subject: 'tool:system.*', effect: 'deny' }])
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const isSummary = (request: ScriptedRequest) => textOf(request.messages[0]?.content).startsWith('Summarise')

  test('older messages are summarised, that is shown, and the summary stands for them from then on', async () => {
    const { client } = member
    const requests = stage.play('fox', (request) =>
      isSummary(request) ? [{ text: SUMMARY }] : [{ text: `Yes. ${SENTENCES}` }],
    )
    let conversation_id = (await say(client, `fox number 1 ${SENTENCES}`)).conversation_id
    const notices: string[][] = []
    for (let n = 2; n <= 9; n++) {
      conversation_id = (await say(client, `fox number ${n} ${SENTENCES}`, { conversation_id })).conversation_id
      notices.push(noticesOf(await lastAnswer(client, conversation_id)))
    }
    expect(notices.flat()).toContain('context_compacted')
    const first = requests.findIndex(isSummary)
    expect(first).toBeGreaterThan(0)
    expect(textOf(requests[first]?.messages.at(-1)?.content)).toContain('fox number 1')
    const next = requests[first + 1]
    expect(textOf(next?.messages[1]?.content)).toContain(SUMMARY)
    expect(JSON.stringify(next?.messages)).not.toContain('fox number 1 ')
    // Every request fits what the model takes, by any count of tokens.
    for (const request of requests) expect(JSON.stringify(request.messages).length).toBeLessThan(3000 * 4)
    const compacted = notices.findIndex((list) => list.includes('context_compacted'))
    const shown = (await client.call(contract.chat.conversation, { params: { conversation_id }, query: {} })).messages
      .filter((message) => message.role === 'assistant')
      .slice(1)[compacted]
    const [notice] = shown ? partsOf(shown, 'notice') : []
    expect(notice?.notice.detail).toBe(SUMMARY)
  })

  test('nothing falls out between summary and prompt, however much comes at once', async () => {
    const { client } = member
    const requests = stage.play('heron', (request) => (isSummary(request) ? [{ text: SUMMARY }] : [{ text: 'Noted.' }]))
    const { conversation_id } = await say(client, `heron number 0 ${'x'.repeat(1500)}`)
    for (let n = 1; n <= 12; n++) await say(client, `heron number ${n} ${'x'.repeat(1500)}`, { conversation_id })
    const summarised = requests.filter(isSummary).map((request) => textOf(request.messages.at(-1)?.content))
    const last = JSON.stringify(requests.at(-1)?.messages)
    for (let n = 0; n <= 12; n++) {
      expect([
        n,
        summarised.some((text) => text.includes(`heron number ${n} `)) || last.includes(`heron number ${n} `),
      ]).toEqual([n, true])
    }
    // A later summary carries on the one before.
    expect(summarised.length).toBeGreaterThan(1)
    expect(summarised.slice(1).every((text) => text.startsWith(`<summary>\n${SUMMARY}`))).toBe(true)
  })

  test('the run that summarises counts what that cost, too', async () => {
    const { client } = member
    const answers = [SUMMARY, 'Noted.']
    stage.play('otter', (request) => [
      { text: answers[isSummary(request) ? 0 : 1]! },
      {
        usage: isSummary(request)
          ? { prompt_tokens: 700, completion_tokens: 30 }
          : { prompt_tokens: 1000, completion_tokens: 5 },
      },
    ])
    const { conversation_id } = await say(client, `otter one ${LONG.repeat(3)}`)
    await say(client, `otter two ${LONG.repeat(3)}`, { conversation_id })
    const answer = await lastAnswer(client, conversation_id)
    expect(noticesOf(answer)).toEqual(['context_compacted'])
    const run = await client.call(contract.chat.run, { params: { run_id: answer.run_id ?? '' } })
    expect(run).toMatchObject({ input_tokens: 1700, output_tokens: 35, cost_micros: 1700 * 2 + 35 * 8 })
  })

  test('an engine that says “too long” is asked once more with less', async () => {
    const { client } = member
    const tooLong = {
      status: 400,
      body: { error: { message: 'maximum context length exceeded', code: 'context_length_exceeded' } },
    }
    let refused = 0
    const requests = stage.play('wolf', (request) => {
      if (isSummary(request)) return [{ text: SUMMARY }]
      const asksLast = textOf(request.messages.at(-1)?.content).includes('wolf last')
      if (asksLast && refused++ === 0) return [tooLong]
      return [{ text: `Noted. ${LONG}` }]
    })
    const { conversation_id } = await say(client, `wolf one ${LONG}`)
    await say(client, `wolf two ${LONG}`, { conversation_id })
    const before = requests.length
    const result = await say(client, 'wolf last', { conversation_id })
    expect(result.answer).toContain('Noted.')
    expect(refused).toBe(2)
    const [failed, ...rest] = requests.slice(before)
    const retried = rest.at(-1)
    expect(JSON.stringify(retried?.messages).length).toBeLessThan(JSON.stringify(failed?.messages).length)
    expect(noticesOf(await lastAnswer(client, conversation_id))).toContain('context_compacted')
  })

  test('an engine that says “too long” twice ends the run as failed', async () => {
    const { client } = member
    stage.play('lynx', () => [{ status: 400, body: { error: { message: 'prompt is too long' } } }])
    await expect(say(client, 'lynx')).rejects.toMatchObject({ status: 500, code: 'run_failed' })
  })

  test('a message longer than the context still goes to the engine, alone', async () => {
    const { client } = member
    const requests = stage.play('badger', [[{ text: 'Long, that.' }]])
    const { answer } = await say(client, `badger ${LONG.repeat(12)}`)
    expect(answer).toBe('Long, that.')
    expect(requests[0]?.messages).toHaveLength(2)
  })
})
