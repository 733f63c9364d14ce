import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { lastAnswer, messagesOf, noticesOf, openStage, partsOf, say, textOf, type Stage } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'

describe.each(databases)('answers on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database, { env: { REEVE_AI_PRICE_INPUT: '2', REEVE_AI_PRICE_OUTPUT: '8' } })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('a plain answer has every field of the result, and the history holds question and answer', async () => {
    const ann = await stage.as('ann')
    const requests = stage.play('fish', [[{ text: 'Trout, **mostly**.', each: 'word' }]])
    const result = await say(ann, 'Which fish is it?')
    const { session_id } = await ann.call(contract.accounts.session)
    expect(result).toEqual({
      answer: 'Trout, **mostly**.',
      ai_mode: 'model',
      engine: 'scripted',
      model: 'scripted',
      generated_files: [],
      tool_calls_executed: [],
      session_id,
      conversation_id: result.conversation_id,
      approvals: [],
      attachments: [],
      file_content_parsing: [],
      attachment_context: { characters: 0, truncated: false, items: [] },
    })
    expect(requests).toHaveLength(1)
    const history = await ann.call(contract.chat.history)
    expect(history).toMatchObject({
      session_id,
      conversation_id: result.conversation_id,
      title: 'Which fish is it?',
      next_before: null,
    })
    expect(history.messages.map(({ role, status, parts }) => ({ role, status, parts }))).toEqual([
      { role: 'user', status: 'complete', parts: [{ index: 0, type: 'text', text: 'Which fish is it?' }] },
      { role: 'assistant', status: 'complete', parts: [{ index: 0, type: 'text', text: 'Trout, **mostly**.' }] },
    ])
    expect(new Set(history.messages.map((message) => message.run_id)).size).toBe(1)
  })

  test('the next message carries the conversation to the engine, in order', async () => {
    const ann = await stage.as('ann')
    const requests = stage.play('herring', [[{ text: 'First answer.' }], [{ text: 'Second answer.' }]])
    const { conversation_id } = await say(ann, 'herring one')
    await say(ann, 'herring two', { conversation_id })
    const [system, ...rest] = requests[1]?.messages ?? []
    expect(system?.role).toBe('system')
    expect(rest.map((message) => [message.role, textOf(message.content)])).toEqual([
      ['user', 'herring one'],
      ['assistant', 'First answer.'],
      ['user', 'herring two'],
    ])
  })

  test('reasoning is a part of its own, before the answer and not in it', async () => {
    const ann = await stage.as('ann')
    stage.play('salmon', [[{ reasoning: 'Pink, ' }, { reasoning: 'so salmon.' }, { text: 'Salmon.' }]])
    const result = await say(ann, 'Which is the pink salmon?')
    expect(result.answer).toBe('Salmon.')
    expect((await lastAnswer(ann, result.conversation_id)).parts).toEqual([
      { index: 0, type: 'reasoning', text: 'Pink, so salmon.', duration_ms: expect.any(Number) },
      { index: 1, type: 'text', text: 'Salmon.' },
    ])
  })

  test('reasoning goes back to the engine within its run and not after it', async () => {
    const ann = await stage.as('ann')
    const requests = stage.play('halibut', [
      [{ reasoning: 'I look first.' }, { calls: [{ name: 'system.host', arguments: {} }] }],
      [{ text: 'Seen.' }],
      [{ text: 'Again.' }],
    ])
    const { conversation_id } = await say(ann, 'halibut')
    await say(ann, 'halibut again', { conversation_id })
    expect(JSON.stringify(requests[1]?.messages)).toContain('I look first.')
    expect(JSON.stringify(requests[2]?.messages)).not.toContain('I look first.')
  })

  test('one message can be read as it stands; another conversation’s or nobody’s is not found', async () => {
    const ann = await stage.as('ann')
    stage.play('perch', [[{ text: 'Perch.' }]])
    const { conversation_id } = await say(ann, 'perch')
    const other = await say(ann, 'something else')
    const [, answer] = await messagesOf(ann, conversation_id)
    const message_id = answer?.message_id ?? ''
    const read = await ann.call(contract.chat.message, { params: { conversation_id, message_id } })
    expect(read.message).toEqual(answer)
    for (const params of [
      { conversation_id: other.conversation_id, message_id },
      { conversation_id, message_id: 'msg_00000000000000000000000000' },
    ]) {
      await expect(ann.call(contract.chat.message, { params })).rejects.toMatchObject({ status: 404 })
    }
  })

  test('emoji split over chunks, NUL and lone surrogates are stored as text that every database keeps', async () => {
    const ann = await stage.as('ann')
    const [high = '', low = ''] = '🐟'
    expect(high + low).toHaveLength(2)
    stage.play('sprat', [
      [{ text: 'a🐟' }, { text: 'b\0c' }, { raw: delta('\\ud83d') }, { raw: delta('\\udc1f!') }, { text: ' end' }],
    ])
    const { answer, conversation_id } = await say(ann, 'sprat')
    expect(answer).toBe('a🐟b\uFFFDc🐟! end')
    expect(partsOf(await lastAnswer(ann, conversation_id), 'text')[0]?.text).toBe(answer)
  })

  test('usage and cost of all steps stand on the run; nobody else sees it', async () => {
    const ann = await stage.as('ann')
    stage.play('tuna', [
      [{ calls: [{ name: 'system.host', arguments: {} }] }, { usage: { prompt_tokens: 1000, completion_tokens: 50 } }],
      [{ text: 'Done.' }, { usage: { prompt_tokens: 1500, completion_tokens: 25 } }],
    ])
    const { conversation_id } = await say(ann, 'tuna')
    const run_id = (await lastAnswer(ann, conversation_id)).run_id ?? ''
    const run = await ann.call(contract.chat.run, { params: { run_id } })
    expect(run).toMatchObject({
      run_id,
      conversation_id,
      status: 'done',
      ai_mode: 'model',
      model: 'scripted',
      steps: 2,
      input_tokens: 2500,
      output_tokens: 75,
      // 2500 at 2 and 75 at 8 a million, in millionths.
      cost_micros: 2500 * 2 + 75 * 8,
      error_code: null,
    })
    expect(Date.parse(run.ended_at ?? '')).toBeGreaterThanOrEqual(Date.parse(run.started_at))
    const bob = await stage.as('bob')
    await expect(bob.call(contract.chat.run, { params: { run_id } })).rejects.toMatchObject({ status: 404 })
  })

  test('the personal prompt goes into every run of its owner and into nobody else’s', async () => {
    const [cal, bob] = [await stage.as('cal'), await stage.as('bob')]
    const personal_prompt = 'Always answer like a pilot of the harbour.'
    await cal.call(contract.accounts.updatePreferences, { body: { personal_prompt, language: 'de' } })
    const requests = stage.play('eel', () => [{ text: 'Eel.' }])
    const { conversation_id } = await say(cal, 'eel')
    await say(cal, 'eel', { conversation_id })
    await say(bob, 'eel')
    const told = requests.map((request) => textOf(request.messages[0]?.content).includes(personal_prompt))
    expect(told).toEqual([true, true, false])
    expect(textOf(requests[0]?.messages[0]?.content)).toContain('“de”')
  })

  test('an empty answer is said to be empty; one that was cut or held back as well', async () => {
    const ann = await stage.as('ann')
    stage.play('roach', [
      [],
      [{ text: 'As long as' }, { finish: 'length' }],
      [{ text: 'No' }, { finish: 'content_filter' }],
    ])
    const empty = await say(ann, 'roach')
    expect(empty.answer).toBe('')
    const { conversation_id } = empty
    expect(noticesOf(await lastAnswer(ann, conversation_id))).toEqual(['empty_answer'])
    expect((await say(ann, 'roach', { conversation_id })).answer).toBe('As long as')
    expect(noticesOf(await lastAnswer(ann, conversation_id))).toEqual(['answer_cut'])
    await say(ann, 'roach', { conversation_id })
    expect(noticesOf(await lastAnswer(ann, conversation_id))).toEqual(['answer_filtered'])
  })

  test('the title is the first line, cut, and stays when the conversation goes on', async () => {
    const ann = await stage.as('ann')
    const { conversation_id } = await say(ann, `\n  ${'long title '.repeat(20)}\nsecond line`)
    await say(ann, 'and more', { conversation_id })
    const { title } = await ann.call(contract.chat.conversation, { params: { conversation_id } })
    expect(title).toMatch(/^long title .*…$/)
    expect(title?.length).toBeLessThanOrEqual(80)
  })
})

/** One delta of text as it stands on the wire, so that it may hold half a character. */
function delta(escaped: string): string {
  return `data: {"id":"scripted","object":"chat.completion.chunk","created":0,"model":"scripted","choices":[{"index":0,"delta":{"content":"${escaped}"},"finish_reason":null}]}\n\n`
}
