import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openFeed } from './stage/activity-feed.ts'
import { command, decide, lastAnswer, partsOf, say, toolResults } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { cardOf, openVotesStage, othersOf, over, RUN, vote, type VotesStage } from './stage/votes-stage.ts'
import { until } from './stage/wait.ts'

const MISSING = 'apr_00000000000000000000000000'

describe.each(databases)('a second person decides, on $name', (database) => {
  let stage: VotesStage
  beforeAll(async () => {
    stage = await openVotesStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('two of a role must agree; then it runs once, and the card says who', async () => {
    const { member, id, card, conversation_id } = await stage.waiting('anchor', 2)
    expect(card).toMatchObject({
      status: 'pending',
      decisions: ['deny'],
      needs: [{ role_id: stage.leads, role: 'leads', count: 2, given: 0 }],
      votes: [],
    })
    const [seen] = await othersOf(stage.lea)
    expect(seen).toMatchObject({
      approval_id: id,
      arguments: { shell: true },
      asked_by: { username: 'anchor', name: 'anchor', role: 'role of anchor' },
      decisions: ['approve', 'deny'],
      my_vote: null,
    })
    expect(JSON.stringify(seen)).not.toContain(conversation_id)
    const first = await vote(stage.lea, id)
    expect(first.approval).toMatchObject({ status: 'pending', my_vote: 'approve', needs: [{ given: 1 }] })
    expect((await vote(stage.lea, id)).approval).toEqual(first.approval)
    expect(await cardOf(member, id)).toMatchObject({
      status: 'pending',
      needs: [{ given: 1 }],
      votes: [{ username: 'lea' }],
    })
    expect(existsSync(stage.fileOf('anchor'))).toBe(false)
    expect((await vote(stage.leo, id)).approval).toMatchObject({ status: 'approved', decided_by: 'leo' })
    await over(member, conversation_id)
    expect(await readFile(stage.fileOf('anchor'), 'utf8')).toBe('ran\n')
    expect(await cardOf(member, id)).toMatchObject({
      status: 'approved',
      votes: [
        { username: 'lea', name: 'lea', decision: 'approve' },
        { username: 'leo', decision: 'approve' },
      ],
    })
    // It stays with those who voted, and nobody else.
    expect((await othersOf(stage.lea)).map(({ approval_id }) => approval_id)).toContain(id)
    expect((await othersOf(stage.lou)).map(({ approval_id }) => approval_id)).not.toContain(id)
    await expect(vote(stage.lou, id)).rejects.toMatchObject({ code: 'already_decided' })
    expect((await vote(stage.lea, id)).approval).toMatchObject({ status: 'approved' })
  })

  test('one denial denies, with its reason, whoever has agreed', async () => {
    const { member, id, requests, conversation_id } = await stage.waiting('bollard', 2)
    await vote(stage.lea, id)
    expect((await vote(stage.leo, id, 'deny', 'Not today.')).approval).toMatchObject({
      status: 'denied',
      decided_by: 'leo',
    })
    await over(member, conversation_id)
    expect(existsSync(stage.fileOf('bollard'))).toBe(false)
    expect(toolResults(requests[1])).toEqual([expect.stringContaining('Not today.')])
    const again = await stage.waiting('buoy', 2)
    await vote(stage.lea, again.id)
    expect((await vote(stage.lea, again.id, 'deny')).approval).toMatchObject({ status: 'denied', my_vote: 'deny' })
    await over(again.member, again.conversation_id)
  })

  test('whoever asks never counts: neither as the owner of the card, nor in the role that decides', async () => {
    const { member, id, conversation_id } = await stage.waiting('cable', 1)
    await expect(decide(member.client, id, 'approve')).rejects.toMatchObject({ status: 403, code: 'forbidden' })
    await expect(decide(member.client, id, 'approve_for_conversation')).rejects.toMatchObject({ code: 'forbidden' })
    await expect(vote(member.client, id)).rejects.toMatchObject({ status: 403, code: 'forbidden' })
    expect(await othersOf(member.client)).toEqual([])
    expect(existsSync(stage.fileOf('cable'))).toBe(false)
    // Withdrawing is no decision about it.
    await decide(member.client, id, 'deny')
    expect((await lastAnswer(member.client, conversation_id)).status).toBe('complete')

    const { items } = await stage.admin.call(contract.accounts.listRoles)
    const { role_id } = items.find(({ name }) => name === 'admin')!
    const rules = [{ subject: RUN, effect: 'ask' as const, approvers: [{ role_id, count: 1 }] }]
    await stage.admin.call(contract.accounts.updateRole, { params: { role_id }, body: { rules } })
    stage.play('capstan', [[{ calls: [command(`echo ran >> ${stage.fileOf('capstan')}`)] }], [{ text: 'Over.' }]])
    const { approvals } = await say(stage.admin, 'capstan')
    await expect(decide(stage.admin, approvals[0]!.approval_id, 'approve')).rejects.toMatchObject({ code: 'forbidden' })
    await expect(vote(stage.admin, approvals[0]!.approval_id)).rejects.toMatchObject({ code: 'forbidden' })
    const second = (await stage.person('second', role_id)).client
    await vote(second, approvals[0]!.approval_id)
    await until(() => existsSync(stage.fileOf('capstan')), { what: 'the second administrator has agreed' })
    await stage.admin.call(contract.accounts.updateRole, { params: { role_id }, body: { rules: [] } })
  })

  test('for everybody else such a card does not exist', async () => {
    const { id, member } = await stage.waiting('davit', 1)
    const stranger = await stage.as('ann')
    for (const client of [stranger, stage.admin]) {
      await expect(vote(client, id)).rejects.toMatchObject({ status: 404, code: 'not_found' })
      expect(await othersOf(client)).not.toContainEqual(expect.objectContaining({ approval_id: id }))
    }
    await expect(vote(stage.lea, MISSING)).rejects.toMatchObject({ status: 404 })
    await expect(decide(stage.lea, id, 'approve')).rejects.toMatchObject({ status: 404 })
    const { token } = await stage.lea.call(contract.accounts.createToken, { body: { name: 'script' } })
    const script = stage.anonymous()
    script.bearer = token
    await expect(vote(script, id)).rejects.toMatchObject({ status: 403 })
    await expect(othersOf(script)).rejects.toMatchObject({ status: 403 })
    await decide(member.client, id, 'deny')
  })

  test('a card that its person decides is nothing that others vote on', async () => {
    const { client } = await stage.member('dinghy')
    stage.play('dinghy', [[{ calls: [command('true')] }], [{ text: 'Over.' }]])
    const { approvals } = await say(client, 'dinghy')
    expect(approvals[0]).not.toHaveProperty('needs')
    await expect(vote(stage.admin, approvals[0]!.approval_id)).rejects.toMatchObject({ status: 404 })
    await decide(client, approvals[0]!.approval_id, 'approve')
  })

  test('without a rule that says who: an administrator for the machine, the person for their own files', async () => {
    const { client } = await stage.member('mate', [{ subject: RUN, effect: 'ask' }])
    stage.play('keel', [
      [
        {
          calls: [
            command(`echo ran >> ${stage.fileOf('keel')}`),
            { name: 'files.write', arguments: { name: 'a.txt', text: 'a' } },
          ],
        },
      ],
      [{ text: 'Over.' }],
    ])
    const { approvals, conversation_id } = await say(client, 'keel')
    expect(approvals.map(({ tool, needs }) => [tool, needs?.map(({ role, count }) => [role, count])])).toEqual([
      ['run_command', [['admin', 1]]],
      ['write', undefined],
    ])
    await decide(client, approvals[1]!.approval_id, 'approve')
    await vote(stage.admin, approvals[0]!.approval_id)
    await until(async () => (await lastAnswer(client, conversation_id)).status === 'complete', { what: 'it ran' })
    expect(partsOf(await lastAnswer(client, conversation_id), 'tool_call')[0]).toMatchObject({
      approval: { decided_by: 'admin', votes: [{ username: 'admin' }] },
    })
    // Administrators decide their own calls.
    stage.play('kedge', [[{ calls: [command('true')] }], [{ text: 'Over.' }]])
    const own = await say(stage.admin, 'kedge')
    expect(own.approvals[0]).not.toHaveProperty('needs')
    expect((await decide(stage.admin, own.approvals[0]!.approval_id, 'approve')).result).toMatchObject({
      answer: 'Over.',
    })
  })

  test('those who may vote are told, without the conversation; nobody else is', async () => {
    const [told, untold] = await Promise.all([openFeed(stage.lea), openFeed(await stage.as('ann'))])
    const { id, member } = await stage.waiting('mast', 1)
    const requested = await told.find((event) => event.type === 'approval.requested' && event['approval_id'] === id)
    expect(requested).toMatchObject({ others: true, status: 'pending' })
    expect(requested).not.toHaveProperty('conversation_id')
    expect(requested).not.toHaveProperty('run_id')
    await decide(member.client, id, 'deny')
    expect(await told.find((event) => event.type === 'approval.decided' && event['approval_id'] === id)).toMatchObject({
      others: true,
      status: 'denied',
    })
    expect(untold.events.filter((event) => event['approval_id'] === id)).toEqual([])
    await Promise.all([told[Symbol.asyncDispose](), untold[Symbol.asyncDispose]()])
  })

  test('rules about who decides are checked on saving', async () => {
    const member = await stage.member('pilot')
    const problem = (rules: Parameters<VotesStage['setRules']>[1]) =>
      stage.setRules(member, rules).then(
        () => null,
        (error: { code?: string }) => error.code,
      )
    const one = [{ role_id: stage.leads, count: 1 }]
    expect(await problem([{ subject: RUN, effect: 'allow', approvers: one }])).toBe('bad_rule')
    expect(await problem([{ subject: 'files.read', effect: 'ask', approvers: one }])).toBe('bad_rule')
    expect(await problem([{ subject: RUN, effect: 'ask', approvers: [{ role_id: 'rol_none', count: 1 }] }])).toBe(
      'bad_rule',
    )
    expect(await problem([{ subject: RUN, effect: 'ask', approvers: [{ role_id: stage.leads, count: 4 }] }])).toBe(
      'invalid_request',
    )
    const { items } = await stage.admin.call(contract.accounts.listRoles)
    const everybody = items.find((role) => role.everybody)!
    expect(
      await problem([{ subject: RUN, effect: 'ask', approvers: [{ role_id: everybody.role_id, count: 1 }] }]),
    ).toBe('bad_rule')
    await expect(
      stage.admin.call(contract.accounts.updateRole, {
        params: { role_id: everybody.role_id },
        body: { rules: [{ subject: 'tool:files.write', effect: 'ask', approvers: [] }] },
      }),
    ).rejects.toMatchObject({ code: 'bad_rule' })
    expect(await problem([{ subject: RUN, effect: 'ask', approvers: one }])).toBe(null)
    const asked = { role: 'role of pilot', tool: 'system.run_command' }
    expect((await stage.admin.call(contract.accounts.explainPolicy, { body: asked })).trace.at(-1)).toMatchObject({
      step: 'deciders',
      note: 'With the role “leads”, 1 must agree, not counting whoever asks.',
    })
    await expect(
      stage.admin.call(contract.accounts.deleteRole, { params: { role_id: stage.leads } }),
    ).rejects.toMatchObject({
      code: 'role_in_use',
    })
    const { role } = await stage.admin.call(contract.accounts.createRole, { body: { name: 'nobody yet', rules: [] } })
    expect(await problem([{ subject: RUN, effect: 'ask', approvers: [{ role_id: role.role_id, count: 1 }] }])).toBe(
      null,
    )
    await expect(
      stage.admin.call(contract.accounts.deleteRole, { params: { role_id: role.role_id } }),
    ).rejects.toMatchObject({ code: 'role_in_use' })
  })
})
