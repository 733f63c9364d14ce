import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { Quota } from '../contract/usage.ts'
import { nextDay, nextMonth } from '../server/usage/meters.ts'
import { begin, command, lastAnswer, noticesOf, openStage, say, type Member, type Stage } from './stage/chat-stage.ts'
import { ProblemAnswer } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'

const NONE = { messages: null, tokens: null, cost_micros: null }
const usage = (prompt_tokens: number, completion_tokens: number) => ({ usage: { prompt_tokens, completion_tokens } })

async function problemOf(asked: Promise<unknown>): Promise<ProblemAnswer> {
  const answer = await asked.catch((error: unknown) => error)
  if (answer instanceof ProblemAnswer) return answer
  throw new Error(`Not refused: ${JSON.stringify(answer)}`)
}

describe.each(databases)('use and limits on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database, { env: { REEVE_AI_PRICE_INPUT: '2', REEVE_AI_PRICE_OUTPUT: '10' } })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  async function limit({ role_id }: Member, quota: { day?: Partial<Quota['day']>; month?: Partial<Quota['month']> }) {
    const body = { day: { ...NONE, ...quota.day }, month: { ...NONE, ...quota.month } }
    await (await stage.as('admin')).call(contract.usage.saveQuota, { params: { role_id }, body })
  }
  const mine = (member: Member) => member.client.call(contract.usage.myUsage)

  test('a message and the tokens of every step are counted for the day, with what they cost', async () => {
    const ann = await stage.member('ann', [{ subject: 'tool:system.run_command', effect: 'allow' }])
    stage.play('counted', [
      [{ calls: [command('true')] }, usage(1000, 100)],
      [{ text: 'Done.' }, usage(2000, 300)],
    ])
    await say(ann.client, 'counted')
    await say(ann.client, '/system.host')
    const { day, month, days } = await mine(ann)
    expect(day).toMatchObject({
      messages: { used: 1, limit: null },
      tokens: { used: 3400, limit: null },
      cost_micros: { used: 3000 * 2 + 400 * 10 },
    })
    expect(month.tokens).toEqual(day.tokens)
    expect(days).toEqual([
      {
        day: day.resets_at && expect.any(String),
        messages: 1,
        input_tokens: 3000,
        output_tokens: 400,
        cost_micros: 10_000,
      },
    ])
    expect(await (await stage.as('admin')).call(contract.usage.allUsage)).toMatchObject({
      users: expect.arrayContaining([expect.objectContaining({ username: 'ann', messages: 1, input_tokens: 3000 })]),
      models: [expect.objectContaining({ model: 'scripted' })],
    })
    expect(await stage.app.db.read.selectFrom('usage_day').selectAll().execute()).toHaveLength(1)
  })

  test('messages beyond the limit are refused with the time when it begins anew; commands still run', async () => {
    const ben = await stage.member('ben')
    await limit(ben, { day: { messages: 2 } })
    await say(ben.client, 'one')
    await say(ben.client, 'two')
    const { status, code, problem, response } = await problemOf(say(ben.client, 'three'))
    expect([status, code]).toEqual([429, 'quota_used_up'])
    expect(problem.detail).toMatch(/for today are used up\. They are renewed at \d{4}-\d\d-\d\d 00:00 UTC/)
    const wait = Number(response.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(86_400)
    expect((await mine(ben)).day.messages).toEqual({ used: 2, limit: 2 })
    expect(await say(ben.client, '/system.host')).toMatchObject({ ai_mode: 'direct' })
    await limit(ben, {})
    expect(await say(ben.client, 'three again')).toMatchObject({ ai_mode: 'model' })
  })

  test('of twenty messages at once exactly those are accepted that are left', async () => {
    const eve = await stage.member('eve')
    await limit(eve, { month: { messages: 5 } })
    const sent = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => say(eve.client, `at once ${i}`)))
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    for (const one of sent) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'quota_used_up' })
    expect((await mine(eve)).month.messages).toEqual({ used: 5, limit: 5 })
  })

  test('the same message sent twice under one key counts once', async () => {
    const dan = await stage.member('dan')
    const headers = { 'idempotency-key': 'once' }
    const conversation_id = null
    const { run_id } = await begin(dan.client, 'twice', { headers, conversation_id })
    expect(await begin(dan.client, 'twice', { headers, conversation_id })).toMatchObject({ run_id })
    expect((await mine(dan)).day.messages.used).toBe(1)
  })

  test('tokens that are used up end a run before its next step, and keep what it said', async () => {
    const fay = await stage.member('fay', [{ subject: 'tool:system.run_command', effect: 'allow' }])
    await limit(fay, { day: { tokens: 500 } })
    const requests = stage.play('hungry', [
      [{ text: 'I look. ' }, { calls: [command('true')] }, usage(600, 50)],
      [{ text: 'Never.' }],
    ])
    const refused = await problemOf(say(fay.client, 'hungry'))
    expect([refused.status, refused.code]).toEqual([429, 'quota_used_up'])
    expect(Number(refused.response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(requests).toHaveLength(1)
    const { items } = await fay.client.call(contract.chat.listConversations)
    const answer = await lastAnswer(fay.client, items[0]!.conversation_id)
    expect(answer).toMatchObject({ status: 'failed', parts: [{ text: 'I look. ' }, {}, {}] })
    expect(noticesOf(answer)).toEqual(['quota_used_up'])
    expect((await problemOf(say(fay.client, 'more'))).code).toBe('quota_used_up')
  })

  test('a budget is a limit as well', async () => {
    const gil = await stage.member('gil')
    await limit(gil, { month: { cost_micros: 100 } })
    stage.play('dear', [[{ text: 'Here.' }, usage(100, 10)]])
    expect(await say(gil.client, 'dear')).toMatchObject({ answer: 'Here.' })
    const refused = await problemOf(say(gil.client, 'again'))
    expect(refused.problem.detail).toMatch(/budget for this month is used up/)
  })

  test('labels of columns count as well, and are made by rule when nothing is left', async () => {
    const ivy = await stage.member('ivy')
    stage.play('cue_qty', [[{ text: '{"cue_qty": "Amount"}' }, usage(300, 20)]])
    const label = (keys: string[]) =>
      ivy.client.call(contract.tables.labels, { body: { keys, title: '', question: '' } })
    expect(await label(['cue_qty'])).toMatchObject({ ai_generated: true })
    expect((await mine(ivy)).day).toMatchObject({ messages: { used: 0 }, tokens: { used: 320 } })
    await limit(ivy, { day: { tokens: 1 } })
    expect(await label(['unit_price'])).toMatchObject({ ai_generated: false })
  })

  test('limits are recorded, listed, and refused where there is no role or no sense', async () => {
    const admin = await stage.as('admin')
    const hal = await stage.member('hal')
    await limit(hal, { day: { messages: 7 } })
    const { items, priced } = await admin.call(contract.usage.quotas)
    expect(priced).toBe(true)
    expect(items.find(({ role_id }) => role_id === hal.role_id)).toMatchObject({
      users: 1,
      quota: { day: { messages: 7 } },
    })
    const { items: entries } = await admin.call(contract.accounts.audit, { query: { action: 'quota.updated' } })
    expect(entries[0]).toMatchObject({ target: hal.role_id, details: { after: { day: { messages: 7 } } } })
    const put = (role_id: string, day: object) =>
      problemOf(
        admin.call(contract.usage.saveQuota, { params: { role_id }, body: { day: { ...NONE, ...day }, month: NONE } }),
      )
    expect((await put('rol_none', {})).code).toBe('not_found')
    for (const messages of [-1, 1.5, 1e15, '5'])
      expect((await put(hal.role_id, { messages })).code).toBe('invalid_request')
  })
})

test('days and months end at midnight of UTC', () => {
  const at = Date.UTC(2026, 11, 31, 23, 59, 59)
  expect(new Date(nextDay(at)).toISOString()).toBe('2027-01-01T00:00:00.000Z')
  expect(new Date(nextMonth(at)).toISOString()).toBe('2027-01-01T00:00:00.000Z')
  expect(new Date(nextMonth(Date.UTC(2026, 0, 31))).toISOString()).toBe('2026-02-01T00:00:00.000Z')
})
