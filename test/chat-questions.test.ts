import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { AnswerContent } from '../contract/chat.ts'
import { askingModule } from './stage/modules/asking-module.ts'
import {
  begin,
  lastAnswer,
  openStage,
  partsOf,
  recentEvents,
  say,
  type Member,
  type Stage,
} from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { answer, asked, asks, heard, pendingOf, SCHEMA } from './stage/chat/question-stage.ts'
import { until } from './stage/wait.ts'

describe.each(databases)('questions of modules on $name', (database) => {
  let stage: Stage
  let ann: Member
  beforeAll(async () => {
    stage = await openStage(database, { builtins: [askingModule] })
    ann = await stage.member('ann', [{ subject: 'tool:asker.*', effect: 'allow' }])
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('the message is answered with the card; answering goes on with the very call', async () => {
    const result = await say(ann.client, asks({ schema: SCHEMA }))
    expect(result.approvals).toMatchObject([
      {
        kind: 'question',
        status: 'pending',
        module: 'asker',
        tool: 'ask',
        title: 'Ask',
        arguments: {},
        summary: 'asker asks: Well?',
        decisions: ['approve', 'deny'],
        question: {
          message: 'Well?',
          url: null,
          schema: {
            type: 'object',
            required: ['name'],
            properties: {
              name: { type: 'string', title: 'Your name', description: '', minLength: 2, maxLength: 20 },
              size: {
                oneOf: [
                  { const: 's', title: 'Small' },
                  { const: 'l', title: 'Large' },
                ],
                default: 's',
              },
              count: { type: 'integer', minimum: 1, maximum: 5 },
              again: { type: 'boolean', default: true },
              colours: {
                items: {
                  anyOf: [
                    { const: 'r', title: 'Red' },
                    { const: 'g', title: 'g' },
                  ],
                },
                maxItems: 1,
              },
              mail: { title: 'mail', format: 'email', description: 'Where to' },
            },
          },
        },
      },
    ])
    const [card] = result.approvals
    const life = Date.parse(card!.expires_at) - Date.parse(card!.requested_at)
    expect(life).toBe(10 * 60_000)
    expect((await ann.client.call(contract.chat.listRuns)).items).toMatchObject([{ status: 'acting' }])
    const content = { name: 'Ann', size: 'l', colours: ['g'], again: false }
    const decided = await answer(ann.client, card!.approval_id, content)
    expect(decided.approval).toMatchObject({ status: 'approved', decided_by: 'ann', arguments: content })
    expect(decided.result).toMatchObject({ approvals: [], tool_calls_executed: [{ status: 'done' }] })
    expect(await heard(ann.client, result.conversation_id)).toEqual([{ action: 'accept', content }])
    const parts = partsOf(await lastAnswer(ann.client, result.conversation_id), 'tool_call')
    expect(parts).toMatchObject([
      { approval: null, questions: [{ approval_id: card!.approval_id, status: 'approved' }] },
    ])
  })

  test('declining tells the module so, and says nothing of the call', async () => {
    const { card, conversation_id } = await asked(ann.client)
    await answer(ann.client, card.approval_id, null)
    expect(await heard(ann.client, conversation_id)).toEqual([{ action: 'decline' }])
    const admin = await stage.as('admin')
    const { items } = await admin.call(contract.accounts.audit, { query: { action: 'question.denied' } })
    expect(items).toMatchObject([{ target: card.approval_id, actor: 'ann', outcome: 'refused' }])
  })

  test('values that do not answer are 422 with the place of each, and the question stays open', async () => {
    const { card, conversation_id } = await asked(ann.client)
    const wrong: AnswerContent = { name: 'A', size: 'm', count: 1.5, colours: ['r', 'g'], mail: 'x', other: 1 }
    await expect(answer(ann.client, card.approval_id, wrong)).rejects.toMatchObject({
      status: 422,
      problem: {
        errors: [
          { path: 'content.other', message: 'is not asked for' },
          { path: 'content.name', message: 'must have at least 2 characters' },
          { path: 'content.size', message: 'must be one of the options' },
          { path: 'content.count', message: 'must be a whole number' },
          { path: 'content.colours', message: 'must have at most 1 options' },
          { path: 'content.mail', message: 'must be an e-mail address' },
        ],
      },
    })
    await expect(answer(ann.client, card.approval_id)).rejects.toMatchObject({
      problem: { errors: [{ path: 'content.name', message: 'is required' }] },
    })
    const params = { approval_id: card.approval_id }
    for (const body of [
      { decision: 'approve_for_conversation' as const, content: { name: 'Ann' } },
      { decision: 'deny' as const, content: { name: 'Ann' } },
    ]) {
      await expect(ann.client.call(contract.chat.decideApproval, { params, body })).rejects.toMatchObject({
        status: 422,
      })
    }
    await answer(ann.client, card.approval_id, { name: '😀😀' })
    expect(await heard(ann.client, conversation_id)).toMatchObject([{ action: 'accept', content: { name: '😀😀' } }])
  })

  test('values are refused on a card for a call', async () => {
    const { client } = await stage.member('caller')
    const { approvals } = await say(client, asks({}, 'act'))
    expect(approvals).toMatchObject([{ kind: 'call', question: null }])
    const { approval_id } = approvals[0]!
    await expect(answer(client, approval_id, { name: 'x' })).rejects.toMatchObject({ status: 422 })
    expect(await pendingOf(client)).toMatchObject([{ approval_id, status: 'pending' }])
  })

  test('a hundred answers at once: one counts, and the module hears one', async () => {
    const { card, conversation_id } = await asked(ann.client)
    const all = await Promise.allSettled(
      Array.from({ length: 100 }, (_, i) => answer(ann.client, card.approval_id, { name: `Ann ${i % 10}` })),
    )
    const won = all.filter((one) => one.status === 'fulfilled')
    expect(won).toHaveLength(10)
    for (const one of all)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ status: 409, code: 'already_decided' })
    const content = won[0]!.value.approval.arguments
    expect(await heard(ann.client, conversation_id)).toMatchObject([{ action: 'accept', content }])
  })

  test('stopping the run closes the card; deciding then is 409', async () => {
    const { card, conversation_id, run_id } = await asked(ann.client, { schema: SCHEMA }, 'act')
    const { cancelled_count } = await ann.client.call(contract.chat.cancel, { body: { conversation_id } })
    expect(cancelled_count).toBe(1)
    await expect(answer(ann.client, card.approval_id, { name: 'Ann' })).rejects.toMatchObject({
      status: 409,
      code: 'approval_closed',
    })
    expect(await pendingOf(ann.client)).toEqual([])
    const told = await recentEvents(ann.client, run_id)
    expect(told.filter(({ type }) => type.startsWith('approval.'))).toMatchObject([
      { type: 'approval.requested', kind: 'question' },
      { type: 'approval.decided', status: 'cancelled' },
    ])
  })

  test('nobody else sees or answers it, nor does a token of the same person', async () => {
    const { card, conversation_id } = await asked(ann.client)
    const { client: ben } = await stage.member('ben')
    await expect(answer(ben, card.approval_id, { name: 'Ben' })).rejects.toMatchObject({ status: 404 })
    const { token } = await ann.client.call(contract.accounts.createToken, { body: { name: 'script' } })
    const script = stage.anonymous()
    script.bearer = token
    await expect(answer(script, card.approval_id, { name: 'Ann' })).rejects.toMatchObject({ status: 403 })
    await answer(ann.client, card.approval_id, { name: 'Ann' })
    await heard(ann.client, conversation_id)
  })

  test('an address is shown as it will be opened, and accepted without values', async () => {
    const { card, conversation_id } = await asked(ann.client, { url: 'https://bücher.example/ein?x=\u202e1' })
    expect(card.question).toEqual({
      message: 'Well?',
      schema: null,
      url: 'https://xn--bcher-kva.example/ein?x=%E2%80%AE1',
    })
    await expect(answer(ann.client, card.approval_id, { name: 'x' })).rejects.toMatchObject({ status: 422 })
    await answer(ann.client, card.approval_id)
    expect(await heard(ann.client, conversation_id)).toMatchObject([{ action: 'accept' }])
  })

  test.each([
    ['an address that is no web address', { url: 'javascript:alert(1)' }],
    ['an address with a name in it', { url: 'https://bank.example@evil.example/' }],
    ['a form with a form in it', { schema: { type: 'object', properties: { a: { type: 'object', properties: {} } } } }],
    [
      'an option that hides something',
      { schema: { type: 'object', properties: { a: { type: 'string', enum: ['a\u202eb'] } } } },
    ],
    [
      'more fields than anybody fills in',
      {
        schema: {
          type: 'object',
          properties: Object.fromEntries(Array.from({ length: 31 }, (_, i) => [`f${i}`, { type: 'boolean' }])),
        },
      },
    ],
  ])('never gets before a person: %s', async (_what, input) => {
    const result = await say(ann.client, asks(input))
    expect(result.approvals).toEqual([])
    expect(result.tool_calls_executed[0]!.result_preview).not.toContain('accept')
  })

  test('what the module writes is shown with nothing hidden in it', async () => {
    const schema = { type: 'object', properties: { a: { type: 'boolean', title: 'Yes\u202eoN' } } }
    const { card, conversation_id } = await asked(ann.client, { message: 'Sure\u200b?\u0007', schema })
    expect(card.question).toMatchObject({
      message: 'Sure\\u{200b}?\\u{7}',
      schema: { properties: { a: { title: 'Yes\\u{202e}oN' } } },
    })
    await answer(ann.client, card.approval_id, {})
    await heard(ann.client, conversation_id)
  })

  test('one question after the other: each answer comes back with the next card', async () => {
    const first = await say(ann.client, asks({ times: 3, schema: { type: 'object', properties: {} } }))
    let card = first.approvals[0]!
    for (let left = 2; left > 0; left--) {
      const { result } = await answer(ann.client, card.approval_id, {})
      expect(result!.approvals).toHaveLength(1)
      expect(result!.approvals[0]!.approval_id).not.toBe(card.approval_id)
      card = result!.approvals[0]!
    }
    const { result } = await answer(ann.client, card.approval_id, {})
    expect(result).toMatchObject({ approvals: [], tool_calls_executed: [{ status: 'done' }] })
  })

  test('a module that asks without end is not listened to', async () => {
    const schema = { type: 'object', properties: {} }
    const { run_id, conversation_id } = await begin(ann.client, asks({ times: 9, together: true, schema }))
    const waiting = async () => (await pendingOf(ann.client)).filter((card) => card.run_id === run_id)
    await until(async () => (await waiting()).length === 3)
    // Those that come while three wait are cancelled; those that come after an answer wait in its place.
    await until(async () => {
      const cards = await waiting()
      expect(cards.length).toBeLessThanOrEqual(3)
      for (const { approval_id } of cards) await answer(ann.client, approval_id, {}, { prefer: 'respond-async' })
      return (await lastAnswer(ann.client, conversation_id)).status === 'complete'
    })
    const actions = ((await heard(ann.client, conversation_id)) as { action: string }[]).map(({ action }) => action)
    expect(actions).toHaveLength(9)
    expect(actions.filter((action) => action === 'accept').length).toBeGreaterThanOrEqual(3)
    expect(actions.filter((action) => action !== 'accept' && action !== 'cancel')).toEqual([])
  })

  test('a question whose time is over is cancelled for the module, and expired for the person', async () => {
    const { card, conversation_id } = await asked(ann.client)
    const { db } = stage.app
    await db.write.updateTable('approval').set({ expires_at: 1 }).where('approval_id', '=', card.approval_id).execute()
    await stage.app.chat.due.expireApprovals()
    expect(await heard(ann.client, conversation_id)).toEqual([{ action: 'cancel' }])
    await expect(answer(ann.client, card.approval_id, { name: 'Ann' })).rejects.toMatchObject({
      status: 409,
      code: 'approval_expired',
    })
  })

  test('an export has no cards in it, and leaves alone what only has such a name', async () => {
    const { card, conversation_id } = await asked(ann.client, {
      schema: { type: 'object', properties: {} },
      questions: ['kept'],
    })
    await answer(ann.client, card.approval_id, {})
    const file = await ann.client.call(contract.chat.exportConversation, {
      params: { conversation_id },
      query: { format: 'json' },
    })
    const text = await file.text()
    expect(text).not.toContain('approval_id')
    expect(text).toContain('kept')
  })
})
