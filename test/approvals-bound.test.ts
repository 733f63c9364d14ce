import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import {
  command,
  decide,
  lastAnswer,
  noticesOf,
  openStage,
  partsOf,
  say,
  toolResults,
  type Member,
  type Stage,
} from './stage/chat-stage.ts'
import { PASSWORD } from './stage/people.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const RUN = 'tool:system.run_command'
const AGAIN = { offer_id: 'same', uses: 20, minutes: 60 }

describe.each(databases)('what an approval is bound to, on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const fileOf = (name: string): string => join(stage.dataFolder, name)

  async function asked(member: Member, cue: string, calls = 1) {
    const requests = stage.play(cue, [
      [{ calls: Array.from({ length: calls }, () => command(`echo ran >> ${fileOf(cue)}`)) }],
      [{ text: 'Over.' }],
    ])
    const { approvals, conversation_id } = await say(member.client, cue)
    expect(approvals).toHaveLength(calls)
    return { requests, cards: approvals.map((card) => card.approval_id), conversation_id }
  }

  async function cardStatus(member: Member, approval_id: string): Promise<string | undefined> {
    const { items } = await member.client.call(contract.chat.listApprovals)
    return items.find((card) => card.approval_id === approval_id)?.status
  }

  test('a rule that changed to another that asks: superseded, a new card, and only that one runs the call', async () => {
    const member = await stage.member('ruled')
    const { cards, conversation_id } = await asked(member, 'anvil')
    await stage.setRules(member, [{ subject: 'tool:system.*', effect: 'ask', approvers: [] }])
    const { result } = await decide(member.client, cards[0]!, 'approve')
    expect(existsSync(fileOf('anvil'))).toBe(false)
    expect(result?.approvals).toHaveLength(1)
    const [renewed] = result?.approvals ?? []
    expect(renewed?.approval_id).not.toBe(cards[0])
    expect(renewed?.reason).toMatch(/^Something changed since it was approved/)
    expect(await cardStatus(member, cards[0]!)).toBe('superseded')
    await expect(decide(member.client, cards[0]!, 'approve')).rejects.toMatchObject({
      status: 409,
      code: 'approval_closed',
    })
    const [part] = partsOf(await lastAnswer(member.client, conversation_id), 'tool_call')
    expect(part?.approval?.approval_id).toBe(renewed?.approval_id)
    const second = await decide(member.client, renewed!.approval_id, 'approve')
    expect(second.result).toMatchObject({ answer: 'Over.', approvals: [] })
    expect(await readFile(fileOf('anvil'), 'utf8')).toBe('ran\n')
  })

  test('a rule that denies by now: refused with the rule, although approved', async () => {
    const member = await stage.member('denied')
    const { cards, requests } = await asked(member, 'bellows', 2)
    await decide(member.client, cards[0]!, 'approve')
    await stage.setRules(member, [{ subject: RUN, effect: 'deny' }])
    const { result } = await decide(member.client, cards[1]!, 'approve')
    expect(result).toMatchObject({ answer: 'Over.', tool_calls_executed: [] })
    expect(toolResults(requests[1])).toEqual([expect.stringContaining('deny'), expect.stringContaining('deny')])
    expect(existsSync(fileOf('bellows'))).toBe(false)
  })

  test('a rule that allows by now: it runs', async () => {
    const member = await stage.member('allowed')
    const { cards } = await asked(member, 'crucible')
    await stage.setRules(member, [{ subject: RUN, effect: 'allow' }])
    const { result } = await decide(member.client, cards[0]!, 'approve')
    expect(result).toMatchObject({ answer: 'Over.', tool_calls_executed: [{ status: 'done' }] })
  })

  test('another role: the old approval does not count there', async () => {
    const member = await stage.member('moved')
    const { cards } = await asked(member, 'drill')
    const admin = await stage.as('admin')
    const { role } = await admin.call(contract.accounts.createRole, {
      body: { name: 'elsewhere', rules: [{ subject: RUN, effect: 'ask' as const, approvers: [] }] },
    })
    await admin.call(contract.accounts.updateUser, {
      params: { user_id: member.user_id },
      body: { role_id: role.role_id },
    })
    const { csrf_token } = await member.client.call(contract.accounts.login, {
      body: { username: 'moved', password: PASSWORD },
    })
    member.client.csrfToken = csrf_token
    const { result } = await decide(member.client, cards[0]!, 'approve')
    expect(result?.approvals).toHaveLength(1)
    expect(existsSync(fileOf('drill'))).toBe(false)
    expect(await cardStatus(member, cards[0]!)).toBe('superseded')
  })

  test('an approval for later calls ends when the rule behind it changes', async () => {
    const member = await stage.member('granted')
    stage.play('ember', (_, index) => (index % 2 === 0 ? [{ calls: [command('true')] }] : [{ text: 'Fine.' }]))
    const { approvals, conversation_id } = await say(member.client, 'ember')
    await decide(member.client, approvals[0]!.approval_id, 'approve', { grant: AGAIN })
    expect((await say(member.client, 'ember', { conversation_id })).approvals).toEqual([])
    await stage.setRules(member, [{ subject: 'tool:system.*', effect: 'ask', approvers: [] }])
    expect((await say(member.client, 'ember', { conversation_id })).approvals).toHaveLength(1)
  })

  test('a person who was disabled: what they approved before does not run', async () => {
    const member = await stage.member('leaver')
    const { cards, conversation_id } = await asked(member, 'forge', 2)
    await decide(member.client, cards[0]!, 'approve')
    const admin = await stage.as('admin')
    await admin.call(contract.accounts.updateUser, { params: { user_id: member.user_id }, body: { disabled: true } })
    await expect(decide(member.client, cards[1]!, 'approve')).rejects.toMatchObject({ status: 401 })
    await expire(cards[1]!)
    await stage.app.chat.due.expireApprovals()
    const { db } = stage.app
    const statusNow = async () =>
      (
        await db.read
          .selectFrom('run')
          .select('status')
          .where('conversation_id', '=', conversation_id)
          .executeTakeFirstOrThrow()
      ).status
    await until(async () => (await statusNow()) === 'failed', { what: 'the run has failed' })
    expect(existsSync(fileOf('forge'))).toBe(false)
    await admin.call(contract.accounts.updateUser, { params: { user_id: member.user_id }, body: { disabled: false } })
    const { csrf_token } = await member.client.call(contract.accounts.login, {
      body: { username: 'leaver', password: PASSWORD },
    })
    member.client.csrfToken = csrf_token
    expect(noticesOf(await lastAnswer(member.client, conversation_id))).toEqual(['not_permitted'])
  })

  test('a card that has expired is 409, its call does not run, and the engine is told', async () => {
    const member = await stage.member('sleeper')
    const { cards, requests, conversation_id } = await asked(member, 'grindstone')
    await expire(cards[0]!)
    await expect(decide(member.client, cards[0]!, 'approve')).rejects.toMatchObject({
      status: 409,
      code: 'approval_expired',
    })
    await until(async () => (await lastAnswer(member.client, conversation_id)).status === 'complete', {
      what: 'the run goes on',
    })
    expect(toolResults(requests[1])).toEqual(['No one decided on this call in time, so it was not run.'])
    await expect(decide(member.client, cards[0]!, 'approve')).rejects.toMatchObject({
      status: 409,
      code: 'approval_expired',
    })
    expect(await cardStatus(member, cards[0]!)).toBe('expired')
    expect(existsSync(fileOf('grindstone'))).toBe(false)
  })

  test('cards expire by themselves, and only those whose time is over', async () => {
    const member = await stage.member('dreamer')
    const { cards, conversation_id } = await asked(member, 'hammer', 2)
    await expire(cards[0]!)
    await stage.app.chat.due.expireApprovals()
    expect(await cardStatus(member, cards[0]!)).toBe('expired')
    expect(await cardStatus(member, cards[1]!)).toBe('pending')
    const { result } = await decide(member.client, cards[1]!, 'approve')
    expect(result).toMatchObject({ answer: 'Over.' })
    expect(await readFile(fileOf('hammer'), 'utf8')).toBe('ran\n')
    const calls = partsOf(await lastAnswer(member.client, conversation_id), 'tool_call')
    expect(calls.map((part) => part.tool_call.status)).toEqual(['denied', 'done'])
  })

  /** As if 24 hours had passed. */
  async function expire(approval_id: string): Promise<void> {
    const { db } = stage.app
    await db.write
      .updateTable('approval')
      .set({ expires_at: Date.now() - 1 })
      .where('approval_id', '=', approval_id)
      .execute()
  }
})
