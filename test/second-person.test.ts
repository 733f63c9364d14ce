import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openFeed } from './stage/activity-feed.ts'
import type { TestClient } from './stage/client.ts'
import { command, decide, lastAnswer, openStage, partsOf, say, toolResults, type Member, type Stage } from './stage/chat-stage.ts'
import { PASSWORD } from './stage/people.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const RUN = 'tool:system.run_command'
const MISSING = 'apr_00000000000000000000000000'

describe.each(databases)('a second person decides, on $name', (database) => {
  let stage: Stage
  let admin: TestClient
  let leads: string
  let [lea, leo, lou]: TestClient[] = []
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    stage = await openStage(database)
    admin = await stage.as('admin')
    const { role } = await admin.call(contract.accounts.createRole, { body: { name: 'leads', rules: [] } })
    leads = role.role_id
    ;[lea, leo, lou] = await Promise.all(['lea', 'leo', 'lou'].map((name) => person(name, leads)))
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  async function person(username: string, role_id: string): Promise<TestClient> {
    const { user } = await admin.call(contract.accounts.createUser, { body: { username, password: PASSWORD, role_id } })
    ids[username] = user.user_id
    return stage.signIn(username)
  }
  const fileOf = (name: string): string => join(stage.dataFolder, name)

  /** A member whose commands so many leads must agree to, and a call of theirs that waits. */
  async function waiting(cue: string, count: number, calls = 1) {
    const member = await stage.member(cue, [{ subject: RUN, effect: 'ask', approvers: [{ role_id: leads, count }] }])
    const requests = stage.play(cue, [
      [{ calls: Array.from({ length: calls }, () => command(`echo ran >> ${fileOf(cue)}`)) }],
      [{ text: 'Over.' }],
    ])
    const { approvals, conversation_id } = await say(member.client, cue)
    return { member, requests, conversation_id, card: approvals[0]!, id: approvals[0]!.approval_id, approvals }
  }
  const vote = (client: TestClient, approval_id: string, decision: 'approve' | 'deny' = 'approve', reason?: string) =>
    client.call(contract.chat.voteOnApproval, {
      params: { approval_id },
      body: { decision, ...(reason === undefined ? {} : { reason }) },
    })
  const others = async (client: TestClient) =>
    (await client.call(contract.chat.listOthersApprovals, { query: { for: 'others' } })).items
  const cardOf = async ({ client }: Member, approval_id: string) =>
    (await client.call(contract.chat.listApprovals)).items.find((card) => card.approval_id === approval_id)!
  const over = (member: Member, conversation_id: string) =>
    until(async () => (await lastAnswer(member.client, conversation_id)).status === 'complete', { what: 'the run is over' })

  test('two of a role must agree; then it runs once, and the card says who', async () => {
    const { member, id, card, conversation_id } = await waiting('anchor', 2)
    expect(card).toMatchObject({
      status: 'pending',
      decisions: ['deny'],
      needs: [{ role_id: leads, role: 'leads', count: 2, given: 0 }],
      votes: [],
    })
    const [seen] = await others(lea!)
    expect(seen).toMatchObject({
      approval_id: id,
      arguments: { shell: true },
      asked_by: { username: 'anchor', name: 'anchor', role: 'role of anchor' },
      decisions: ['approve', 'deny'],
      my_vote: null,
    })
    expect(JSON.stringify(seen)).not.toContain(conversation_id)
    const first = await vote(lea!, id)
    expect(first.approval).toMatchObject({ status: 'pending', my_vote: 'approve', needs: [{ given: 1 }] })
    expect((await vote(lea!, id)).approval).toEqual(first.approval)
    expect(await cardOf(member, id)).toMatchObject({ status: 'pending', needs: [{ given: 1 }], votes: [{ username: 'lea' }] })
    expect(existsSync(fileOf('anchor'))).toBe(false)
    expect((await vote(leo!, id)).approval).toMatchObject({ status: 'approved', decided_by: 'leo' })
    await over(member, conversation_id)
    expect(await readFile(fileOf('anchor'), 'utf8')).toBe('ran\n')
    expect(await cardOf(member, id)).toMatchObject({
      status: 'approved',
      votes: [
        { username: 'lea', name: 'lea', decision: 'approve' },
        { username: 'leo', decision: 'approve' },
      ],
    })
    // It stays with those who voted, and nobody else.
    expect((await others(lea!)).map(({ approval_id }) => approval_id)).toContain(id)
    expect((await others(lou!)).map(({ approval_id }) => approval_id)).not.toContain(id)
    await expect(vote(lou!, id)).rejects.toMatchObject({ code: 'already_decided' })
    expect((await vote(lea!, id)).approval).toMatchObject({ status: 'approved' })
  })

  test('one denial denies, with its reason, whoever has agreed', async () => {
    const { member, id, requests, conversation_id } = await waiting('bollard', 2)
    await vote(lea!, id)
    expect((await vote(leo!, id, 'deny', 'Not today.')).approval).toMatchObject({ status: 'denied', decided_by: 'leo' })
    await over(member, conversation_id)
    expect(existsSync(fileOf('bollard'))).toBe(false)
    expect(toolResults(requests[1])).toEqual([expect.stringContaining('Not today.')])
    const again = await waiting('buoy', 2)
    await vote(lea!, again.id)
    expect((await vote(lea!, again.id, 'deny')).approval).toMatchObject({ status: 'denied', my_vote: 'deny' })
    await over(again.member, again.conversation_id)
  })

  test('whoever asks never counts: neither as the owner of the card, nor in the role that decides', async () => {
    const { member, id, conversation_id } = await waiting('cable', 1)
    await expect(decide(member.client, id, 'approve')).rejects.toMatchObject({ status: 403, code: 'forbidden' })
    await expect(decide(member.client, id, 'approve_for_conversation')).rejects.toMatchObject({ code: 'forbidden' })
    await expect(vote(member.client, id)).rejects.toMatchObject({ status: 403, code: 'forbidden' })
    expect(await others(member.client)).toEqual([])
    expect(existsSync(fileOf('cable'))).toBe(false)
    // Withdrawing is no decision about it.
    await decide(member.client, id, 'deny')
    expect((await lastAnswer(member.client, conversation_id)).status).toBe('complete')

    const { items } = await admin.call(contract.accounts.listRoles)
    const { role_id } = items.find(({ name }) => name === 'admin')!
    const rules = [{ subject: RUN, effect: 'ask' as const, approvers: [{ role_id, count: 1 }] }]
    await admin.call(contract.accounts.updateRole, { params: { role_id }, body: { rules } })
    stage.play('capstan', [[{ calls: [command(`echo ran >> ${fileOf('capstan')}`)] }], [{ text: 'Over.' }]])
    const { approvals } = await say(admin, 'capstan')
    await expect(decide(admin, approvals[0]!.approval_id, 'approve')).rejects.toMatchObject({ code: 'forbidden' })
    await expect(vote(admin, approvals[0]!.approval_id)).rejects.toMatchObject({ code: 'forbidden' })
    const second = await person('second', role_id)
    await vote(second, approvals[0]!.approval_id)
    await until(() => existsSync(fileOf('capstan')), { what: 'the second administrator has agreed' })
    await admin.call(contract.accounts.updateRole, { params: { role_id }, body: { rules: [] } })
  })

  test('for everybody else such a card does not exist', async () => {
    const { id, member } = await waiting('davit', 1)
    const stranger = await stage.as('ann')
    for (const client of [stranger, admin]) {
      await expect(vote(client, id)).rejects.toMatchObject({ status: 404, code: 'not_found' })
      expect(await others(client)).not.toContainEqual(expect.objectContaining({ approval_id: id }))
    }
    await expect(vote(lea!, MISSING)).rejects.toMatchObject({ status: 404 })
    await expect(decide(lea!, id, 'approve')).rejects.toMatchObject({ status: 404 })
    const { token } = await lea!.call(contract.accounts.createToken, { body: { name: 'script' } })
    const script = stage.anonymous()
    script.bearer = token
    await expect(vote(script, id)).rejects.toMatchObject({ status: 403 })
    await expect(others(script)).rejects.toMatchObject({ status: 403 })
    await decide(member.client, id, 'deny')
  })

  test('a card that its person decides is nothing that others vote on', async () => {
    const { client } = await stage.member('dinghy')
    stage.play('dinghy', [[{ calls: [command('true')] }], [{ text: 'Over.' }]])
    const { approvals } = await say(client, 'dinghy')
    expect(approvals[0]).not.toHaveProperty('needs')
    await expect(vote(admin, approvals[0]!.approval_id)).rejects.toMatchObject({ status: 404 })
    await decide(client, approvals[0]!.approval_id, 'approve')
  })

  test.each(['disabled', 'moved'] as const)('a voter %s before the call runs: superseded, a new card', async (how) => {
    const cue = how === 'disabled' ? 'ensign' : 'fender'
    const { member, approvals, conversation_id } = await waiting(cue, 1, 2)
    const name = `voter-${how}`
    const voter = await person(name, leads)
    await vote(voter, approvals[0]!.approval_id)
    expect(await cardOf(member, approvals[0]!.approval_id)).toMatchObject({ status: 'approved' })
    const { items } = await admin.call(contract.accounts.listRoles)
    const elsewhere = items.find((role) => role.name === 'user')!.role_id
    const body = how === 'disabled' ? { disabled: true } : { role_id: elsewhere }
    await admin.call(contract.accounts.updateUser, { params: { user_id: ids[name]! }, body })
    await vote(lea!, approvals[1]!.approval_id, 'deny')
    const renewed = await until(
      async () =>
        (await member.client.call(contract.chat.listApprovals, { query: { status: 'pending' } })).items[0],
      { what: 'there is a new card' },
    )
    expect(renewed.approval_id).not.toBe(approvals[0]!.approval_id)
    expect(renewed).toMatchObject({ needs: [{ given: 0 }], votes: [] })
    expect(await cardOf(member, approvals[0]!.approval_id)).toMatchObject({ status: 'superseded' })
    expect(existsSync(fileOf(cue))).toBe(false)
    await expect(vote(lea!, approvals[0]!.approval_id)).rejects.toMatchObject({ code: 'approval_closed' })
    await vote(lea!, renewed.approval_id)
    await over(member, conversation_id)
    expect(await readFile(fileOf(cue), 'utf8')).toBe('ran\n')
  })

  test('a hundred votes at once: one run', async () => {
    const { member, id, conversation_id } = await waiting('gangway', 3)
    const clients = Array.from({ length: 100 }, (_, i) => [lea!, leo!, lou!, member.client][i % 4]!)
    const said = await Promise.allSettled(clients.map((client) => vote(client, id)))
    expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(75)
    await over(member, conversation_id)
    expect(await readFile(fileOf('gangway'), 'utf8')).toBe('ran\n')
    const { items } = await admin.call(contract.accounts.audit, { query: { target: id, limit: 50 } })
    expect(items.map(({ action }) => action).toSorted()).toEqual([
      'approval.approved',
      ...Array.from({ length: 3 }, () => 'approval.voted'),
    ])
  })

  test('the last vote against a denial: one outcome', async () => {
    for (const cue of ['halyard', 'hawser', 'helm']) {
      const { member, id, conversation_id } = await waiting(cue, 2)
      await vote(lea!, id)
      const said = await Promise.allSettled([vote(leo!, id), vote(lou!, id, 'deny')])
      const won = said.filter(({ status }) => status === 'fulfilled')
      expect(won).toHaveLength(1)
      await over(member, conversation_id)
      const { status } = await cardOf(member, id)
      expect(status).toBe(said[0]!.status === 'fulfilled' ? 'approved' : 'denied')
      expect(existsSync(fileOf(cue))).toBe(status === 'approved')
    }
  })

  test('without a rule that says who: an administrator for the machine, the person for their own files', async () => {
    const { client } = await stage.member('mate', [{ subject: RUN, effect: 'ask' }])
    stage.play('keel', [
      [{ calls: [command(`echo ran >> ${fileOf('keel')}`), { name: 'files.write', arguments: { name: 'a.txt', text: 'a' } }] }],
      [{ text: 'Over.' }],
    ])
    const { approvals, conversation_id } = await say(client, 'keel')
    expect(approvals.map(({ tool, needs }) => [tool, needs?.map(({ role, count }) => [role, count])])).toEqual([
      ['run_command', [['admin', 1]]],
      ['write', undefined],
    ])
    await decide(client, approvals[1]!.approval_id, 'approve')
    await vote(admin, approvals[0]!.approval_id)
    await until(async () => (await lastAnswer(client, conversation_id)).status === 'complete', { what: 'it ran' })
    expect(partsOf(await lastAnswer(client, conversation_id), 'tool_call')[0]).toMatchObject({
      approval: { decided_by: 'admin', votes: [{ username: 'admin' }] },
    })
    // Administrators decide their own calls.
    stage.play('kedge', [[{ calls: [command('true')] }], [{ text: 'Over.' }]])
    const own = await say(admin, 'kedge')
    expect(own.approvals[0]).not.toHaveProperty('needs')
    expect((await decide(admin, own.approvals[0]!.approval_id, 'approve')).result).toMatchObject({ answer: 'Over.' })
  })

  test('a rule that comes to need somebody else supersedes what the person approved', async () => {
    const member = await stage.member('lubber')
    stage.play('ladder', [[{ calls: [command('true'), command('true')] }], [{ text: 'Over.' }]])
    const { approvals } = await say(member.client, 'ladder')
    await decide(member.client, approvals[0]!.approval_id, 'approve_for_conversation')
    await stage.setRules(member, [{ subject: RUN, effect: 'ask', approvers: [{ role_id: leads, count: 1 }] }])
    const { result } = await decide(member.client, approvals[1]!.approval_id, 'deny')
    expect(result?.approvals).toMatchObject([{ needs: [{ role: 'leads' }], decisions: ['deny'] }])
    expect(await cardOf(member, approvals[0]!.approval_id)).toMatchObject({ status: 'superseded' })
    await decide(member.client, result!.approvals[0]!.approval_id, 'deny')
  })

  test('those who may vote are told, without the conversation; nobody else is', async () => {
    const [told, untold] = await Promise.all([openFeed(lea!), openFeed(await stage.as('ann'))])
    const { id, member } = await waiting('mast', 1)
    const requested = await told.find((event) => event.type === 'approval.requested' && event['approval_id'] === id)
    expect(requested).toMatchObject({ others: true, status: 'pending' })
    expect(requested).not.toHaveProperty('conversation_id')
    expect(requested).not.toHaveProperty('run_id')
    await decide(member.client, id, 'deny')
    expect(
      await told.find((event) => event.type === 'approval.decided' && event['approval_id'] === id),
    ).toMatchObject({ others: true, status: 'denied' })
    expect(untold.events.filter((event) => event['approval_id'] === id)).toEqual([])
    await Promise.all([told[Symbol.asyncDispose](), untold[Symbol.asyncDispose]()])
  })

  test('when time is up it is over, and voting says so', async () => {
    const { id, member, conversation_id } = await waiting('oar', 1)
    await stage.app.db.write
      .updateTable('approval')
      .set({ expires_at: Date.now() - 1 })
      .where('approval_id', '=', id)
      .execute()
    await expect(vote(lea!, id)).rejects.toMatchObject({ status: 409, code: 'approval_expired' })
    await over(member, conversation_id)
    expect(existsSync(fileOf('oar'))).toBe(false)
  })

  test('rules about who decides are checked on saving', async () => {
    const member = await stage.member('pilot')
    const problem = (rules: Parameters<Stage['setRules']>[1]) =>
      stage.setRules(member, rules).then(
        () => null,
        (error: { code?: string }) => error.code,
      )
    const one = [{ role_id: leads, count: 1 }]
    expect(await problem([{ subject: RUN, effect: 'allow', approvers: one }])).toBe('bad_rule')
    expect(await problem([{ subject: 'files.read', effect: 'ask', approvers: one }])).toBe('bad_rule')
    expect(await problem([{ subject: RUN, effect: 'ask', approvers: [{ role_id: 'rol_none', count: 1 }] }])).toBe('bad_rule')
    expect(await problem([{ subject: RUN, effect: 'ask', approvers: [{ role_id: leads, count: 4 }] }])).toBe('invalid_request')
    const { items } = await admin.call(contract.accounts.listRoles)
    const everybody = items.find((role) => role.everybody)!
    expect(await problem([{ subject: RUN, effect: 'ask', approvers: [{ role_id: everybody.role_id, count: 1 }] }])).toBe('bad_rule')
    const common = (approvers: { role_id: string; count: number }[]) =>
      admin.call(contract.accounts.updateRole, {
        params: { role_id: everybody.role_id },
        body: { rules: approvers === undefined ? [] : [{ subject: 'tool:files.write', effect: 'ask' as const, approvers }] },
      })
    await expect(common([])).rejects.toMatchObject({ code: 'bad_rule' })
    expect(await problem([{ subject: RUN, effect: 'ask', approvers: one }])).toBe(null)
    await expect(
      admin.call(contract.accounts.deleteRole, { params: { role_id: leads } }),
    ).rejects.toMatchObject({ code: 'role_in_use' })
    const { role } = await admin.call(contract.accounts.createRole, { body: { name: 'nobody yet', rules: [] } })
    expect(await problem([{ subject: RUN, effect: 'ask', approvers: [{ role_id: role.role_id, count: 1 }] }])).toBe(null)
    await expect(
      admin.call(contract.accounts.deleteRole, { params: { role_id: role.role_id } }),
    ).rejects.toMatchObject({ code: 'role_in_use' })
  })

  test('votes go with the conversation, and with the person who cast them', async () => {
    const { id, member, conversation_id } = await waiting('rudder', 2)
    const gone = await person('gone', leads)
    await vote(gone, id)
    await vote(lea!, id)
    const votes = () => stage.app.db.read.selectFrom('vote').select('user_id').where('subject_id', '=', id).execute()
    expect(await votes()).toHaveLength(2)
    await over(member, conversation_id)
    const params = { conversation_id }
    await member.client.call(contract.chat.deleteConversation, { params })
    await member.client.call(contract.chat.purgeConversation, { params })
    await until(async () => (await votes()).length === 0, { what: 'no vote is left' })
  })
})
