import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { Caller } from '../contract/route.ts'
import { USUAL_REQUEST } from '../server/ai/engine-request.ts'
import { environmentEngine } from '../server/ai/known-engine.ts'
import { openModel } from '../server/ai/open-model.ts'
import type { Policy } from '../server/chat/ports/policy.ts'
import { createTableLabels } from '../server/tables/labels/table-labels.ts'
import { openStage, textOf, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'
import { startScriptedModel, type ScriptedRequest } from './stage/servers/scripted-model.ts'

interface Wanted {
  keys: string[]
  title?: string | null
  question?: string | null
}
const labels = (client: TestClient, body: Wanted) => client.call(contract.tables.labels, { body })
const asked = (request: ScriptedRequest): string =>
  textOf(request.messages.findLast(({ role }) => role === 'user')?.content)

describe.each(databases)('labels for columns on $name', (database) => {
  describe('without an engine', () => {
    let stage: Stage
    beforeAll(async () => {
      stage = await openStage(database, { engine: false })
    })
    afterAll(() => stage[Symbol.asyncDispose]())

    test('are made by rule, one for every key', async () => {
      expect(await labels(await stage.as('ann'), { keys: ['user_id', 'cpu_pct', 'user_id'], title: null })).toEqual({
        columns: { user_id: 'User ID', cpu_pct: 'CPU (%)' },
        ai_generated: false,
      })
    })

    test('200 keys of 200 characters are the most', async () => {
      const ann = await stage.as('ann')
      const keys = Array.from({ length: 200 }, (_, i) => `${i}`.padStart(200, 'k'))
      expect(Object.keys((await labels(ann, { keys })).columns)).toEqual(keys)
      for (const wrong of [[], [...keys, 'x'], ['k'.repeat(201)], ['']])
        await expect(labels(ann, { keys: wrong })).rejects.toMatchObject({ status: 400, code: 'bad_keys' })
      await expect(ann.fetch('/api/chat/table-labels', post('{}')).then((answer) => answer.status)).resolves.toBe(400)
      for (const body of ['{"keys":"a"}', '{"keys":[1]}', '{"keys":["a"],"more":1}', '[]'])
        expect([body, (await ann.fetch('/api/chat/table-labels', post(body))).status]).toEqual([body, 422])
    })

    test('keys that JavaScript knows are keys like others', async () => {
      const keys = ['constructor', 'toString', 'hasOwnProperty']
      expect(Object.keys((await labels(await stage.as('ann'), { keys })).columns)).toEqual(keys)
    })
  })

  describe('with an engine', () => {
    let stage: Stage
    let ann: TestClient
    beforeAll(async () => {
      stage = await openStage(database)
      ann = await stage.as('ann')
      await ann.call(contract.accounts.updatePreferences, { body: { language: 'de' } })
    })
    afterAll(() => stage[Symbol.asyncDispose]())

    test('are what it says, in the language of the person, with the question, and asked for once', async () => {
      const answer = '```json\n{"cpu_pct":"  CPU-Auslastung\\n(%) ","host":"Rech\\u202ener"}\n```'
      const requests = stage.play('slow hosts', [[{ text: answer }]])
      const wanted = { keys: ['cpu_pct', 'host'], title: 'Hosts', question: 'Which are the slow hosts?' }
      const expected = { columns: { cpu_pct: 'CPU-Auslastung (%)', host: 'Rech\\u{202e}ner' }, ai_generated: true }
      expect(await Promise.all([labels(ann, wanted), labels(ann, wanted)])).toEqual([expected, expected])
      expect(await labels(ann, wanted)).toEqual(expected)
      expect(requests).toHaveLength(1)
      expect(textOf(requests[0]!.messages[0]?.content)).toMatch(/German/)
      expect(JSON.parse(asked(requests[0]!))).toEqual(wanted)
      expect(requests[0]!.tools).toEqual([])
    })

    test('an answer that leaves a key out is asked for once more', async () => {
      const requests = stage.play('forgetful', [
        [{ text: '{"a_b":"Eins"}' }],
        [{ text: '{"a_b":"Eins","c_d":"Zwei"}' }],
      ])
      const { columns } = await labels(ann, { keys: ['a_b', 'c_d'], question: 'forgetful' })
      expect(columns).toEqual({ a_b: 'Eins', c_d: 'Zwei' })
      expect(requests).toHaveLength(2)
    })

    test.each<[string, string]>([
      ['prose', 'I would call it "One".'],
      ['no object', '[1]'],
      ['another key', '{"a":"One","b":"Two"}'],
      ['no text', '{"a":1}'],
      ['an empty label', '{"a":"  "}'],
      ['half an object', '{"a":"One"'],
    ])('an answer that is %s is no answer', async (what, text) => {
      const requests = stage.play(`cue ${what}`, () => [{ text }])
      await expect(labels(ann, { keys: ['a'], question: `cue ${what}` })).rejects.toMatchObject({
        status: 503,
        code: 'ai_unavailable',
      })
      expect(requests).toHaveLength(2)
    })

    test('an engine that fails is 503, and is asked again the next time', async () => {
      stage.play('outage', (_request, index) =>
        index === 0 ? [{ status: 500, body: { error: { message: 'out of order' } } }] : [{ text: '{"a":"Eins"}' }],
      )
      await expect(labels(ann, { keys: ['a'], question: 'outage' })).rejects.toMatchObject({
        status: 503,
        code: 'ai_unavailable',
      })
      expect(await labels(ann, { keys: ['a'], question: 'outage' })).toEqual({
        columns: { a: 'Eins' },
        ai_generated: true,
      })
    })

    test('who may not use the engine gets labels by rule', async () => {
      const member = await stage.member('mia')
      const requests = stage.play('not for you', () => [{ text: '{"a_b":"Eins"}' }])
      for (const effect of ['deny', 'ask'] as const) {
        await stage.setRules(member, [{ subject: 'codex.use', effect }])
        expect(await labels(member.client, { keys: ['a_b'], question: 'not for you' })).toEqual({
          columns: { a_b: 'A b' },
          ai_generated: false,
        })
      }
      expect(requests).toHaveLength(0)
    })

    test('a question that looks like a command is a question', async () => {
      stage.play('/system.host', [[{ text: '{"a":"Eins"}' }]])
      expect(await labels(ann, { keys: ['a'], question: '/system.host' })).toMatchObject({ ai_generated: true })
    })
  })
})

test('an engine that says nothing is given up', async () => {
  await using model = await startScriptedModel(() => [{ hang: true }])
  const config = {
    provider: 'openai-compatible' as const,
    base_url: model.url,
    model: 'scripted',
    api_key: null,
    context_tokens: 8000,
    price: null,
    timeout_ms: 60_000,
    idle_timeout_ms: 60_000,
    request: USUAL_REQUEST,
  }
  const verdict = { effect: 'allow', reason: '', basis: '' } as const
  const policy = { forUser: async () => ({ permission: () => verdict }) } as unknown as Policy
  const made = createTableLabels({
    model: openModel([environmentEngine(config)], { list: () => [] }),
    policy,
    timeout_ms: 300,
  })
  const caller = { user_id: 'usr_1', scope: null, language: 'en' } as unknown as Caller
  await expect(made.label(caller, { keys: ['a'], title: '', question: '' })).rejects.toMatchObject({
    code: 'ai_unavailable',
    message: expect.stringMatching(/in time/),
  })
  await (
    await model.request(0)
  ).closed
})

function post(body: string): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body }
}
