import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openAudit } from '../server/accounts/audit/audit.ts'
import { hostTool } from './stage/modules/grants-module.ts'
import { command, decide, openStage, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'

const RUN = 'tool:system.run_command'
const again = (uses = 20, minutes = 60) => ({ grant: { offer_id: 'same', uses, minutes } })

describe.each(databases)('approvals for later calls, on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database, { builtins: [hostTool] })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const grants = async (client: TestClient) => (await client.call(contract.chat.listGrants)).items
  const problem = (answer: Promise<unknown>) =>
    answer.then(
      () => null,
      (error: unknown) => {
        const { status, code } = error as { status: number; code: string }
        return { status, code }
      },
    )
  const NOT_OFFERED = { status: 400, code: 'grant_not_offered' }
  const write = (client: TestClient, args: object, more = {}) =>
    say(client, `/files.write ${JSON.stringify(args)}`, more)
  const run = (client: TestClient, script: string, more = {}) =>
    say(client, `/system.run_command ${JSON.stringify({ command: script, shell: true })}`, more)

  test('this call again: as often as was said, and nothing else', async () => {
    const { client, user_id } = await stage.member('again')
    const asked = await run(client, 'true')
    const { conversation_id } = asked
    const here = { conversation_id }
    const { approval } = await decide(client, asked.approvals[0]!.approval_id, 'approve', again(2, 5))
    expect(approval).toMatchObject({ status: 'approved', granted: { offer_id: 'same', uses: 2, minutes: 5 } })
    expect(await grants(client)).toMatchObject([
      { kind: 'exact', module: 'system', tool: 'run_command', uses: 2, uses_left: 2, asleep: false, conversation_id },
    ])
    expect((await run(client, 'true ', here)).approvals).toHaveLength(1)
    await client.call(contract.chat.cancel, { body: {} })
    expect(await run(client, 'true', here)).toMatchObject({ approvals: [], tool_calls_executed: [{ status: 'done' }] })
    // Neither in another conversation …
    expect((await run(client, 'true')).approvals).toHaveLength(1)
    expect(await run(client, 'true', here)).toMatchObject({ approvals: [] })
    // … nor once it is used up.
    expect((await run(client, 'true', here)).approvals).toHaveLength(1)
    expect(await grants(client)).toEqual([])
    await openAudit(stage.app.db, Date.now).settle()
    const entries = await stage.app.db.read
      .selectFrom('audit')
      .select(['action', 'details'])
      .where('actor_id', '=', user_id)
      .where('action', 'in', ['tool.called', 'approval.approved'])
      .orderBy('audit_id')
      .execute()
    const details = entries.map((entry) => JSON.parse(entry.details) as Record<string, unknown>)
    expect(details[0]).toMatchObject({ grant: { kind: 'exact', uses: 2, minutes: 5 } })
    expect(details.at(-1)).toMatchObject({ approved_by: { username: 'again', grant_id: expect.any(String) } })
  })

  test('what a card does not offer, or more than it offers, is 400, and the card still waits', async () => {
    const { client } = await stage.member('greedy')
    const { approvals } = await run(client, 'true')
    const card = approvals[0]!
    expect(card.decisions).toEqual(['approve', 'deny'])
    const refused = [
      () => decide(client, card.approval_id, 'approve_for_conversation'),
      () => decide(client, card.approval_id, 'approve', again(21, 60)),
      () => decide(client, card.approval_id, 'approve', again(20, 61)),
      () => decide(client, card.approval_id, 'deny', again(1, 1)),
      () => decide(client, card.approval_id, 'approve', { grant: { offer_id: 'like-1', uses: 1, minutes: 1 } }),
    ]
    for (const attempt of refused) expect(await problem(attempt())).toEqual(NOT_OFFERED)
    expect(await problem(decide(client, card.approval_id, 'approve', again(0, 1)))).toMatchObject({ status: 422 })
    expect(await grants(client)).toEqual([])
    await decide(client, card.approval_id, 'approve', again(1, 1))
    // The same decision again changes nothing, another grant is another decision.
    await decide(client, card.approval_id, 'approve', again(1, 1))
    expect(await problem(decide(client, card.approval_id, 'approve', again(2, 1)))).toMatchObject({ status: 409 })
    expect(await grants(client)).toMatchObject([{ uses: 1 }])
  })

  test('for the conversation: what only writes, bound to the pattern on the card', async () => {
    const { client } = await stage.member('writer')
    const asked = await write(client, { name: 'a.md', text: 'One.' })
    const [card] = asked.approvals
    expect(card).toMatchObject({
      decisions: ['approve', 'approve_for_conversation', 'deny'],
      offers: [
        { offer_id: 'same', kind: 'exact', max_uses: 100, max_minutes: 480 },
        { kind: 'pattern', loosened: { kind: 'any', arguments: ['text'] }, for_conversation: true },
      ],
    })
    const here = { conversation_id: asked.conversation_id }
    await decide(client, card!.approval_id, 'approve_for_conversation')
    expect(await write(client, { name: 'a.md', text: 'Two.' }, here)).toMatchObject({
      approvals: [],
      tool_calls_executed: [{ status: 'done' }],
    })
    // Another name, or an argument that the card did not have.
    expect((await write(client, { name: 'b.md', text: 'Two.' }, here)).approvals).toHaveLength(1)
    await client.call(contract.chat.cancel, { body: {} })
    expect((await write(client, { name: 'a.md', text: 'Three.', replaces: 'a.md' }, here)).approvals).toHaveLength(1)
    expect(await grants(client)).toMatchObject([{ kind: 'pattern', uses: 100, uses_left: 99 }])
  })

  test('a role that changes, a time that is over, and its owner end it', async () => {
    const member = await stage.member('ended')
    const { client } = member
    const first = await run(client, 'true')
    const here = { conversation_id: first.conversation_id }
    await decide(client, first.approvals[0]!.approval_id, 'approve', again())
    await stage.setRules(member, [{ subject: RUN, effect: 'ask', approvers: [], note: 'Other words' }])
    const renewed = await run(client, 'true', here)
    expect(renewed.approvals).toHaveLength(1)
    await decide(client, renewed.approvals[0]!.approval_id, 'approve', again())
    const [newest] = await grants(client)
    await stage.app.db.write
      .updateTable('approval_grant')
      .set({ expires_at: Date.now() - 1 })
      .where('grant_id', '=', newest!.grant_id)
      .execute()
    const third = await run(client, 'true', here)
    expect(third.approvals).toHaveLength(1)
    await decide(client, third.approvals[0]!.approval_id, 'approve', again())
    expect(await run(client, 'true', here)).toMatchObject({ approvals: [] })
    const [mine] = await grants(client)
    const params = { grant_id: mine!.grant_id }
    const stranger = await stage.member('stranger')
    expect(await problem(stranger.client.call(contract.chat.revokeGrant, { params }))).toMatchObject({ status: 404 })
    for (const _ of [1, 2]) await client.call(contract.chat.revokeGrant, { params })
    expect((await grants(client)).map(({ grant_id }) => grant_id)).not.toContain(mine!.grant_id)
    expect((await run(client, 'true', here)).approvals).toHaveLength(1)
  })

  test('revoked while its call waits for another card: a card of its own', async () => {
    const { client } = await stage.member('late')
    stage.play('twins', [[{ calls: [command('true')] }], [{ text: 'One.' }]])
    const first = await say(client, 'twins')
    await decide(client, first.approvals[0]!.approval_id, 'approve', again())
    stage.play('triplets', [[{ calls: [command('true'), command('echo other')] }], [{ text: 'Two.' }]])
    const second = await say(client, 'triplets', { conversation_id: first.conversation_id })
    expect(second.approvals).toMatchObject([{ arguments: { command: 'echo other' } }])
    const [mine] = await grants(client)
    await client.call(contract.chat.revokeGrant, { params: { grant_id: mine!.grant_id } })
    const { result } = await decide(client, second.approvals[0]!.approval_id, 'approve')
    expect(result).toMatchObject({ approvals: [{ arguments: { command: 'true' } }], tool_calls_executed: [] })
  })

  test('a script with a token never uses it, and a rule that asks every time offers and takes none', async () => {
    const member = await stage.member('strict')
    const { client } = member
    const first = await run(client, 'true')
    const here = { conversation_id: first.conversation_id }
    await decide(client, first.approvals[0]!.approval_id, 'approve', again())
    const script = stage.anonymous()
    script.bearer = (await client.call(contract.accounts.createToken, { body: { name: 'script' } })).token
    const ridden = await run(script, 'true', here)
    expect(ridden.approvals).toHaveLength(1)
    await decide(client, ridden.approvals[0]!.approval_id, 'deny')
    await stage.setRules(member, [{ subject: 'tool:files.write', effect: 'ask', every_time: true }])
    const [card] = (await write(client, { name: 'c.md', text: 'x' })).approvals
    expect(card?.decisions).toEqual(['approve', 'deny'])
    expect(card).not.toHaveProperty('offers')
  })

  test('like this: one argument may be another, never a number where something may be deleted', async () => {
    const { client } = await stage.member('liker', [{ subject: 'tool:hosts.*', effect: 'ask' }])
    const call = (tool: string, args: object, more = {}) => say(client, `/hosts.${tool} ${JSON.stringify(args)}`, more)
    const first = await call('purge', { url: 'https://a.example/x', depth: 3 })
    expect(first.approvals[0]?.offers).toMatchObject([
      { offer_id: 'same' },
      { offer_id: 'like-1', loosened: { kind: 'host', argument: 'url', host: 'a.example' }, max_uses: 20 },
    ])
    await decide(client, first.approvals[0]!.approval_id, 'deny')
    const put = await call('put', { url: 'relative', depth: 3 })
    expect(put.approvals[0]?.offers).toMatchObject([
      {},
      { loosened: { kind: 'range', argument: 'depth', min: 0, max: 3 }, for_conversation: true },
    ])
    await decide(client, put.approvals[0]!.approval_id, 'deny')
    const folder = await call('put', { url: '/srv/data/x.txt' })
    expect(folder.approvals[0]?.offers?.[1]?.loosened).toEqual({
      kind: 'folder',
      argument: 'url',
      folder: '/srv/data',
    })
  })
})
