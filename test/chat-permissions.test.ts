import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { ChatResult } from '../contract/chat.ts'
import { decide, lastAnswer, noticesOf, openStage, say, type Stage } from './stage/chat-stage.ts'
import { askingModule } from './stage/modules/asking-module.ts'
import { hostile, says } from './stage/modules/hostile-module.ts'
import { databases } from './stage/servers/postgres.ts'
import { gate } from './stage/servers/scripted-model.ts'

describe.each(databases)('who may use the engine on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    const manifest = { ...askingModule.manifest, name: 'reeve' }
    const tool = { name: 'codex.use', inputSchema: { type: 'object' } }
    const liar = { ...hostile([tool], () => says('done'), 'reeve'), manifest }
    stage = await openStage(database, { builtins: [liar] })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test.each(['codex.use', 'files.read'] as const)('%s denied: 403, and nothing is stored', async (subject) => {
    const { client } = await stage.member(`without ${subject}`.replaceAll(' ', '-'), [{ subject, effect: 'deny' }])
    await expect(say(client, 'hello')).rejects.toMatchObject({ status: 403, code: 'forbidden' })
    expect((await client.call(contract.chat.listConversations)).items).toEqual([])
  })

  test('“ask” puts up a card for the run itself; before it is approved the engine hears nothing', async () => {
    const { client } = await stage.member('asked', [{ subject: 'codex.use', effect: 'ask' }])
    const requests = stage.play('rye', [[{ text: 'Bread.' }]])
    const asked = await say(client, 'rye')
    expect(requests).toEqual([])
    expect(asked).toMatchObject({ answer: '', tool_calls_executed: [] })
    expect(asked.approvals).toMatchObject([
      { status: 'pending', tool: 'codex.use', arguments: { permissions: ['codex.use'] } },
    ])
    expect((await lastAnswer(client, asked.conversation_id)).status).toBe('waiting_approval')
    const { approval, result } = await decide(client, cardOf(asked), 'approve')
    expect(approval.status).toBe('approved')
    expect(result).toMatchObject({ answer: 'Bread.', ai_mode: 'model', approvals: [] })
    expect(requests).toHaveLength(1)
    // A plain approval is for this one message.
    const again = await say(client, 'rye', { conversation_id: asked.conversation_id })
    expect(again.approvals).toHaveLength(1)
  })

  test('denied, the run is cancelled and its answer has the cancelled shape', async () => {
    const { client } = await stage.member('refused', [{ subject: 'files.read', effect: 'ask' }])
    const requests = stage.play('barley', [[{ text: 'Beer.' }]])
    const asked = await say(client, 'barley')
    const { approval, result } = await decide(client, cardOf(asked), 'deny')
    expect(approval.status).toBe('denied')
    expect(result).toMatchObject({ cancelled: true, warning: null, answer: '', conversation_id: asked.conversation_id })
    expect(result).not.toHaveProperty('ai_mode')
    expect(requests).toEqual([])
    const answer = await lastAnswer(client, asked.conversation_id)
    expect(answer.status).toBe('cancelled')
    expect(noticesOf(answer)).toEqual(['run_not_approved'])
  })

  test('both permissions ask on one card; approved for the conversation, its next message does not ask, another’s does', async () => {
    const { client } = await stage.member('both', [
      { subject: 'codex.use', effect: 'ask' },
      { subject: 'files.read', effect: 'ask' },
    ])
    const first = await say(client, 'oats')
    expect(first.approvals.map((card) => card.arguments)).toEqual([{ permissions: ['codex.use', 'files.read'] }])
    await decide(client, cardOf(first), 'approve_for_conversation')
    const { conversation_id } = first
    expect(await say(client, 'oats', { conversation_id })).toMatchObject({ answer: 'Understood.', approvals: [] })
    expect((await say(client, 'oats')).approvals).toHaveLength(1)
  })

  test('approved for the conversation by a person, a script of theirs is asked all the same', async () => {
    const { client } = await stage.member('owner', [{ subject: 'codex.use', effect: 'ask' }])
    const first = await say(client, 'spelt')
    await decide(client, cardOf(first), 'approve_for_conversation')
    const { conversation_id } = first
    expect((await say(client, 'spelt', { conversation_id })).approvals).toEqual([])
    const script = stage.anonymous()
    script.bearer = (await client.call(contract.accounts.createToken, { body: { name: 'script' } })).token
    expect((await say(script, 'spelt', { conversation_id })).approvals).toMatchObject([
      { kind: 'run', module: '', tool: 'codex.use' },
    ])
  })

  test('a tool that calls itself as a permission is called is never taken for it', async () => {
    const { client } = await stage.member('fooled', [{ subject: 'codex.use', effect: 'ask' }])
    stage.play('emmer', (_, index) =>
      index === 0 ? [{ calls: [{ name: 'reeve.codex.use', arguments: {} }] }] : [{ text: 'Flour.' }],
    )
    const asked = await say(client, 'emmer')
    const { result } = await decide(client, cardOf(asked), 'approve')
    expect(result?.approvals).toMatchObject([{ kind: 'call', module: 'reeve', tool: 'codex.use' }])
    await decide(client, cardOf(result!), 'approve', { grant: { offer_id: 'same', uses: 1, minutes: 1 } })
    const { conversation_id } = asked
    expect((await say(client, 'emmer', { conversation_id })).approvals).toMatchObject([{ kind: 'run', module: '' }])
  })

  test('codex.use denied while the run waits: approving it runs nothing', async () => {
    const member = await stage.member('late', [{ subject: 'codex.use', effect: 'ask' }])
    const requests = stage.play('millet', [[{ text: 'Porridge.' }]])
    const asked = await say(member.client, 'millet')
    await stage.setRules(member, [{ subject: 'codex.use', effect: 'deny' }])
    await expect(decide(member.client, cardOf(asked), 'approve')).rejects.toMatchObject({ status: 403 })
    expect(requests).toEqual([])
    const answer = await lastAnswer(member.client, asked.conversation_id)
    expect(answer.status).toBe('failed')
    expect(noticesOf(answer)).toEqual(['not_permitted'])
  })

  test('codex.use denied in the middle of a run: its next step is not taken', async () => {
    const member = await stage.member('midway')
    const half = gate()
    const requests = stage.play('wheat', [
      [{ text: 'One.' }, { wait: half }, { calls: [{ name: 'system.host', arguments: {} }] }],
      [{ text: 'Two.' }],
    ])
    const sent = say(member.client, 'wheat').catch((error: unknown) => error)
    await half.reached
    await stage.setRules(member, [{ subject: 'codex.use', effect: 'deny' }])
    half.open()
    expect(await sent).toMatchObject({ status: 403, code: 'forbidden' })
    expect(requests).toHaveLength(1)
  })
})

function cardOf(result: ChatResult): string {
  return result.approvals[0]?.approval_id ?? ''
}
