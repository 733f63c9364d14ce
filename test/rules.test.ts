import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { contract } from '../contract/index.ts'
import type { Rule } from '../contract/rules.ts'
import { decide, lastAnswer, type Member, openStage, partsOf, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { GRIND, millModule, OPEN, WHEAT } from './stage/modules/mill-module.ts'
import { databases } from './stage/servers/postgres.ts'

type Rules = z.input<typeof Rule>[]
const { accounts } = contract

describe.each(databases)('rules with conditions on $name', (database) => {
  const { module, got } = millModule()
  let stage: Stage
  let admin: TestClient
  let everybody: string
  beforeAll(async () => {
    stage = await openStage(database, { engine: false, builtins: [module] })
    admin = await stage.as('admin')
    await admin.call(contract.chat.listTools)
    everybody = (await admin.call(accounts.listRoles)).items.find((role) => role.everybody)!.role_id
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const save = (role_id: string, rules: Rules) =>
    admin.call(accounts.updateRole, { params: { role_id }, body: { rules } })
  const grind = (member: Pick<Member, 'client'>, args: object, more = {}) =>
    say(member.client, `/mill.grind ${JSON.stringify(args)}`, more)
  const came = async (member: Pick<Member, 'client'>, args: object) => {
    const { approvals, tool_calls_executed } = await grind(member, args)
    return approvals.length > 0 ? 'ask' : tool_calls_executed.length > 0 ? 'allow' : 'deny'
  }
  const problem = (call: Promise<unknown>) =>
    call.then(
      () => null,
      (error: unknown) => (error as { code: string }).code,
    )

  test('one value: the defaults are filled in, and it is what is judged, hashed, shown, stored and sent', async () => {
    const member = await stage.member('one', [WHEAT])
    const { approvals, conversation_id } = await grind(member, { corn: 'rye', sacks: -0 })
    const filled = { corn: 'rye', sacks: 0, fine: false }
    expect(approvals[0]?.arguments).toEqual(filled)
    const [part] = partsOf(await lastAnswer(member.client, conversation_id), 'tool_call')
    expect(part).toMatchObject({ tool_call: { arguments: filled } })
    await decide(member.client, approvals[0]!.approval_id, 'approve')
    expect(got.at(-1)).toEqual(filled)
    // A default that would not fit is not filled in: `how` may be left out, and is.
    expect(got.at(-1)).not.toHaveProperty('how')
  })

  test('a rule that allows runs what it names; an exception does not ask; the rest is as without them', async () => {
    const member = await stage.member('two', [
      WHEAT,
      { subject: GRIND, effect: 'deny', when: [{ at: '/corn', in: ['ergot'] }] },
    ])
    expect(await came(member, { corn: 'wheat' })).toBe('allow')
    expect(await came(member, { corn: 'wheat', sacks: 9 })).toBe('allow')
    expect(await came(member, { corn: 'wheat', fine: true })).toBe('ask')
    // It has no default, and nobody named it.
    expect(await came(member, { corn: 'wheat', how: { slow: true } })).toBe('ask')
    expect(await came(member, { corn: 'wheat', how: { slow: false } })).toBe('ask')
    expect(await came(member, { corn: 'Wheat' })).toBe('ask')
    expect(await came(member, { corn: 'rye' })).toBe('ask')
    expect(await came(member, { corn: 'ergot' })).toBe('deny')
    // Not to be told from what is denied.
    expect(await came(member, { corn: 'ERGOT' })).toBe('deny')
    // What is denied now and then is offered nevertheless.
    const { items } = await member.client.call(contract.chat.listTools)
    expect(items.find((one) => one.module === 'mill' && one.tool === 'grind')).toMatchObject({ policy: 'allow' })
  })

  test('ask, but not for these', async () => {
    const rules: Rules = [
      {
        subject: 'tool:mill.*',
        effect: 'ask',
        unless: [
          [
            { at: '/corn', is: 'wheat' },
            { at: '/sacks', max: 5 },
          ],
        ],
      },
      { ...WHEAT, free: ['/sacks', '/fine'], examples: { match: [{ corn: 'wheat' }], no_match: [{ corn: 'rye' }] } },
    ]
    const member = await stage.member('three', rules)
    expect(await came(member, { corn: 'wheat', sacks: 5 })).toBe('allow')
    expect(await came(member, { corn: 'wheat', sacks: 6 })).toBe('ask')
  })

  test('a rule that was edited supersedes what waits, and what was approved', async () => {
    const ask = (max: number): Rules => [{ subject: GRIND, effect: 'ask', when: [{ at: '/sacks', max }] }]
    const member = await stage.member('four', ask(5))
    const { approvals } = await grind(member, { corn: 'rye' })
    await save(member.role_id, ask(6))
    const { result } = await decide(member.client, approvals[0]!.approval_id, 'approve')
    expect(result?.approvals).toHaveLength(1)
    expect(result?.approvals[0]?.reason).toMatch(/^Something changed since it was approved/)
    // Another rule, about other arguments, changes nothing about it.
    await save(member.role_id, [...ask(6), { subject: GRIND, effect: 'deny', when: [{ at: '/corn', is: 'ergot' }] }])
    const last = await decide(member.client, result!.approvals[0]!.approval_id, 'approve')
    expect(last.result?.tool_calls_executed).toHaveLength(1)
  })

  test('a call that was allowed when it was approved is judged again with its own arguments', async () => {
    const member = await stage.member('five')
    const { approvals } = await grind(member, { corn: 'rye' })
    await save(member.role_id, [{ subject: GRIND, effect: 'deny', when: [{ at: '/corn', is: 'rye' }] }])
    const { result } = await decide(member.client, approvals[0]!.approval_id, 'approve')
    expect(result?.tool_calls_executed).toEqual([])
  })

  test('a folder, of a tool that refuses links', async () => {
    const member = await stage.member('six')
    await save(member.role_id, [
      {
        subject: OPEN,
        effect: 'allow',
        when: [{ at: '/path', under: ['/srv'] }],
        free: ['/corn'],
        examples: { match: [{ corn: '', path: '/srv/a' }], no_match: [{ corn: '', path: '/etc' }] },
      },
    ])
    const open = async (path: string) =>
      (await say(member.client, `/mill.open ${JSON.stringify({ corn: 'a', path })}`)).approvals.length
    expect([await open('/srv/a/b'), await open('/srv/../etc'), await open('/srv//a'), await open('/etc')]).toEqual([
      0, 1, 1, 1,
    ])
  })

  test('what binds everybody binds administrators too, and nobody has it', async () => {
    const rules: Rules = [{ subject: GRIND, effect: 'deny', when: [{ at: '/corn', is: 'ergot' }] }]
    const member = await stage.member('eight', [{ subject: GRIND, effect: 'allow' }])
    const [boss] = [{ client: admin }]
    expect(await came(member, { corn: 'ergot' })).toBe('allow')
    await save(everybody, rules)
    expect([await came(member, { corn: 'ergot' }), await came(boss, { corn: 'ergot' })]).toEqual(['deny', 'deny'])
    expect([await came(member, { corn: 'rye' }), await came(boss, { corn: 'rye' })]).toEqual(['allow', 'ask'])
    expect(await problem(save(everybody, [{ subject: GRIND, effect: 'allow' }]))).toBe('bad_rule')
    const to = { params: { user_id: member.user_id }, body: { role_id: everybody } }
    expect(await problem(admin.call(accounts.updateUser, to))).toBe('unknown_role')
    expect(await problem(admin.call(accounts.deleteRole, { params: { role_id: everybody } }))).toBe('role_builtin')
    expect(
      await problem(admin.call(accounts.updateRole, { params: { role_id: everybody }, body: { name: 'x' } })),
    ).toBe('role_builtin')
    expect(await problem(admin.call(accounts.createRole, { body: { name: 'Everybody' } }))).toBe('role_exists')
    await save(everybody, [{ subject: 'files.read', effect: 'deny' }])
    expect(await problem(admin.call(contract.files.list))).toBe('forbidden')
    await save(everybody, [])
    expect(await problem(admin.call(contract.files.list))).toBeNull()
  })

  test('explain tells how each condition came out; a simulation counts by rule and tells no arguments', async () => {
    const rye = { subject: GRIND, effect: 'ask' as const, when: [{ at: '/corn', is: 'secret-rye' }] }
    const member = await stage.member('nine', [WHEAT, rye])
    const explain = (args?: Record<string, unknown>) =>
      admin.call(accounts.explainPolicy, {
        body: { user_id: member.user_id, tool: 'mill.grind', ...(args ? { arguments: args } : {}) },
      })
    const said = await explain({ corn: 'wheat', fine: true })
    expect(said).toMatchObject({ effect: 'ask' })
    const steps = said.trace.filter(({ step }) => step === 'rule')
    expect(steps).toMatchObject([
      { matched: false, effect: 'ask', conditions: [{ at: '/corn', operator: 'is', outcome: 'false' }] },
      {
        matched: false,
        effect: 'allow',
        conditions: [
          { at: '/corn', operator: 'is', outcome: 'true' },
          { at: '/fine', operator: 'only_these', outcome: 'false' },
        ],
      },
    ])
    expect((await explain({ corn: 'wheat' })).effect).toBe('allow')
    // Nothing is known of the arguments: as strict as it can be.
    expect((await explain()).effect).toBe('ask')
    await grind(member, { corn: 'wheat' })
    await grind(member, { corn: 'secret-rye' })
    await grind(member, { corn: 'oats' })
    const body = {
      role_id: member.role_id,
      rules: [
        { ...rye, effect: 'deny' as const },
        { subject: 'tool:mill.*', effect: 'allow' as const },
      ],
    }
    const answer = await admin.call(accounts.simulatePolicy, { body })
    expect(answer).toMatchObject({ calls: 3, missing: 0, by_rule: [{ rule: 0, calls: 3, applies: 1 }] })
    expect(answer.items.map(({ decided, given }) => `${decided} ${given}`).toSorted()).toEqual([
      'ask allow',
      'ask deny',
    ])
    expect(JSON.stringify(answer)).not.toContain('rye')
    const all = await admin.call(accounts.simulatePolicy, {
      body: { role_id: everybody, rules: [{ subject: 'tool:mill.*', effect: 'deny' }] },
    })
    expect(all.changed).toBeGreaterThanOrEqual(2)
  })
})
