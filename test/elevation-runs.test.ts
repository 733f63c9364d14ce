import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openFeed } from './stage/activity-feed.ts'
import { command, decide, say, toolResults, type Member } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { cardOf, openVotesStage, othersOf, over, RUN, type VotesStage } from './stage/votes-stage.ts'

describe.each(databases)('runs with a role for a while on $name', (database) => {
  let stage: VotesStage
  let operator: string

  beforeAll(async () => {
    stage = await openVotesStage(database)
    const rules = [{ subject: RUN, effect: 'ask' as const, approvers: [] }]
    const { role } = await stage.admin.call(contract.accounts.createRole, { body: { name: 'operator', rules } })
    operator = role.role_id
    const elevatable = { approvers: [{ role_id: stage.leads, count: 1 }], max_minutes: 60 }
    const params = { role_id: operator }
    await stage.admin.call(contract.accounts.updateRole, { params, body: { elevatable } })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const request = async ({ client }: Member) => {
    const body = { role_id: operator, minutes: 30, reason: 'The disk is full.' }
    return (await client.call(contract.accounts.requestElevation, { body })).elevation.elevation_id
  }
  const agree = (elevation_id: string) =>
    stage.lea.call(contract.accounts.voteOnElevation, { params: { elevation_id }, body: { decision: 'approve' } })
  const end = (elevation_id: string, client = stage.admin) =>
    client.call(contract.accounts.endElevation, { params: { elevation_id } })
  const waiting = async (cue: string, rules: Parameters<VotesStage['setRules']>[1]) => {
    const member = await stage.member(cue, rules)
    const elevation_id = await request(member)
    await agree(elevation_id)
    const file = join(stage.dataFolder, cue)
    const requests = stage.play(cue, [[{ calls: [command(`echo ran >> ${file}`)] }], [{ text: 'Over.' }]])
    const { approvals, conversation_id } = await say(member.client, cue)
    expect(approvals).toMatchObject([{ status: 'pending', decisions: expect.arrayContaining(['approve']) as unknown }])
    return { member, elevation_id, file, requests, conversation_id, card: approvals[0]!.approval_id }
  }

  test('it ends while a call waits, and the own role denies: the call is refused, never run', async () => {
    const { member, elevation_id, file, requests, conversation_id, card } = await waiting('anvil', [
      { subject: RUN, effect: 'deny' },
    ])
    await end(elevation_id)
    await decide(member.client, card, 'approve')
    await over(member, conversation_id)
    expect(existsSync(file)).toBe(false)
    expect(toolResults(requests[1]).join('\n')).toContain('role of anvil')
  })

  test('it ends while a call waits, and the own role asks others: a new card, which they decide', async () => {
    const { member, elevation_id, file, conversation_id, card } = await waiting('bellows', [
      { subject: RUN, effect: 'ask', approvers: [{ role_id: stage.leads, count: 1 }] },
    ])
    await end(elevation_id, member.client)
    const { result } = await decide(member.client, card, 'approve')
    expect(await cardOf(member, card)).toMatchObject({ status: 'superseded' })
    expect(result?.approvals).toMatchObject([{ needs: [{ role: 'leads', given: 0 }], decisions: ['deny'] }])
    expect(existsSync(file)).toBe(false)
    await decide(member.client, result!.approvals[0]!.approval_id, 'deny')
    await over(member, conversation_id)
    expect(existsSync(file)).toBe(false)
  })

  test('while it lasts, calls run by its rules, and the audit log names both roles', async () => {
    const { member, elevation_id, file, conversation_id, card } = await waiting('chisel', [
      { subject: RUN, effect: 'deny' },
    ])
    await decide(member.client, card, 'approve')
    await over(member, conversation_id)
    expect(await readFile(file, 'utf8')).toBe('ran\n')
    const { items } = await stage.admin.call(contract.accounts.audit, { query: { action: 'tool.called', limit: 50 } })
    expect(items.find(({ details }) => details['conversation_id'] === conversation_id)).toMatchObject({
      actor: 'chisel',
      details: { elevated: { elevation_id, role: 'operator', own_role: 'role of chisel' } },
    })
  })

  test('a script of the same person has the own role, and so have its runs', async () => {
    const member = await stage.member('drill', [{ subject: RUN, effect: 'deny' }])
    const { token } = await member.client.call(contract.accounts.createToken, { body: { name: 'script' } })
    await agree(await request(member))
    const file = join(stage.dataFolder, 'drill')
    stage.play('drill', [[{ calls: [command(`echo ran >> ${file}`)] }], [{ text: 'Over.' }]])
    const answer = await fetch(`${stage.url}/api/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'drill', conversation_id: null }),
    })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ approvals: [] })
    expect(existsSync(file)).toBe(false)
    const session = await fetch(`${stage.url}/api/auth/session`, { headers: { authorization: `Bearer ${token}` } })
    expect(await session.json()).toMatchObject({ user: { role: 'role of drill' } })
    const list = await fetch(`${stage.url}/api/elevations`, { headers: { authorization: `Bearer ${token}` } })
    expect(list.status).toBe(403)
    expect((await member.client.call(contract.accounts.session)).user).toMatchObject({
      role: 'operator',
      elevation: { role: 'operator', own_role: 'role of drill' },
    })
  })

  test('who asks and who decides are told at once', async () => {
    const member = await stage.member('etcher')
    await using own = await openFeed(member.client)
    await using theirs = await openFeed(stage.leo)
    const elevation_id = await request(member)
    const { elevations } = await stage.leo.call(contract.chat.listOthersApprovals, { query: { for: 'others' } })
    expect(elevations).toBeGreaterThan(0)
    for (const feed of [own, theirs]) await feed.find(({ type }) => type === 'elevation.changed')
    expect(await othersOf(stage.leo)).toEqual([])
    await end(elevation_id, member.client)
  })
})
