import { McpServer } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { registerTool, tool } from '../builtin/tool.ts'
import { contract } from '../contract/index.ts'
import type { Rule } from '../contract/rules.ts'
import type { BuiltinModule } from '../server/modules/spec/builtin-module.ts'
import { decide, lastAnswer, type Member, openStage, partsOf, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'

type Rules = z.input<typeof Rule>[]
const { accounts } = contract
const GRIND = 'tool:mill.grind'
const OPEN = 'tool:mill.open'

/** `open` promises to refuse links. What they were called with is kept. */
function millModule() {
  const got: unknown[] = []
  const input = z.strictObject({
    corn: z.string(),
    path: z.string().optional(),
    fine: z.boolean().default(false),
    sacks: z.number().default(1),
    how: z.strictObject({ slow: z.boolean().default(true) }).optional(),
  })
  const module: BuiltinModule = {
    manifest: {
      manifest_version: '0.3',
      name: 'mill',
      display_name: 'Mill',
      version: '1.0.0',
      description: 'Grinds',
      author: { name: 'Reeve' },
      server: { type: 'node', entry_point: 'main.js', mcp_config: { command: 'node', args: ['${__dirname}/main.js'] } },
    } as BuiltinModule['manifest'],
    reach: 'own',
    createServer() {
      const server = new McpServer({ name: 'mill', version: '1.0.0' }, { capabilities: {} })
      for (const name of ['grind', 'open'])
        registerTool(
          server,
          tool({
            name,
            title: name,
            description: name,
            effect: 'write',
            real_paths: name === 'open',
            input,
            run: (given) => {
              got.push(given)
              return Promise.resolve({ text: 'Done.' })
            },
          }),
        )
      return Promise.resolve(server)
    },
  }
  return { module, got }
}

const WHEAT = {
  subject: GRIND,
  effect: 'allow' as const,
  when: [{ at: '/corn', is: 'wheat' }],
  free: ['/sacks'],
  examples: { match: [{ corn: 'wheat' }], no_match: [{ corn: 'rye' }, { corn: 'wheat', fine: true }] },
}

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

  const save = (role_id: string, rules: Rules) => admin.call(accounts.updateRole, { params: { role_id }, body: { rules } })
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
    expect(part).toMatchObject({ arguments: filled })
    await decide(member.client, approvals[0]!.approval_id, 'approve')
    expect(got.at(-1)).toEqual(filled)
    // A default that would not fit is not filled in: `how` may be left out, and is.
    expect(got.at(-1)).not.toHaveProperty('how')
  })

  test('a rule that allows runs what it names; an exception does not ask; the rest is as without them', async () => {
    const member = await stage.member('two', [WHEAT, { subject: GRIND, effect: 'deny', when: [{ at: '/corn', in: ['ergot'] }] }])
    expect(await came(member, { corn: 'wheat' })).toBe('allow')
    expect(await came(member, { corn: 'wheat', sacks: 9 })).toBe('allow')
    expect(await came(member, { corn: 'wheat', fine: true })).toBe('ask')
    expect(await came(member, { corn: 'wheat', how: { slow: true } })).toBe('allow')
    expect(await came(member, { corn: 'wheat', how: { slow: false } })).toBe('ask')
    expect(await came(member, { corn: 'Wheat' })).toBe('deny')
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
      { subject: 'tool:mill.*', effect: 'ask', unless: [[{ at: '/corn', is: 'wheat' }, { at: '/sacks', max: 5 }]] },
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

  test.each<[string, Rules, string]>([
    ['an example that must match does not', [{ ...WHEAT, examples: { ...WHEAT.examples, match: [{ corn: 'rye' }] } }], 'rule_example_failed'],
    ['one that must not match does', [{ ...WHEAT, examples: { ...WHEAT.examples, no_match: [{ corn: 'wheat', sacks: 3 }] } }], 'rule_example_failed'],
    ['no examples', [{ ...WHEAT, examples: undefined }], 'bad_rule'],
    ['a tool that is not there', [{ ...WHEAT, subject: 'tool:ghost.walk' }], 'rule_tool_missing'],
    ['a path, of a tool that may follow links', [{ ...WHEAT, when: [{ at: '/path', under: ['/srv'] }] }], 'rule_path_unsafe'],
    ['conditions about a permission', [{ subject: 'files.read', effect: 'ask', when: WHEAT.when }], 'bad_rule'],
    ['a second person, who cannot decide yet', [{ subject: GRIND, effect: 'ask', approvers: [] } as never], 'invalid_request'],
    ['asking every time', [{ subject: GRIND, effect: 'ask', every_time: true } as never], 'invalid_request'],
    ['trust in what is untrusted', [{ ...WHEAT, even_untrusted: true } as never], 'invalid_request'],
  ])('not saved: %s', async (_what, rules, code) => {
    const member = await stage.member(`not-${Math.random()}`.replace('.', ''), [WHEAT])
    expect(await problem(save(member.role_id, rules))).toBe(code)
    expect(await problem(admin.call(accounts.createRole, { body: { name: 'never', rules } }))).toBe(code)
    const { items } = await admin.call(accounts.listRoles)
    expect(items.find((role) => role.role_id === member.role_id)!.rules).toContainEqual(WHEAT)
  })

  test('more conditions than a role may have together are refused', async () => {
    const big = (i: number) => ({ subject: GRIND, effect: 'deny' as const, when: [{ at: '/corn', in: Array.from({ length: 15 }, (_, n) => `${i} ${n} `.padEnd(1000, 'x')) }] })
    const member = await stage.member('big')
    expect(await problem(save(member.role_id, Array.from({ length: 40 }, (_, i) => big(i))))).toBe('bad_rule')
    expect(await problem(save(member.role_id, Array.from({ length: 30 }, (_, i) => big(i))))).toBeNull()
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
    const open = async (path: string) => (await say(member.client, `/mill.open ${JSON.stringify({ corn: 'a', path })}`)).approvals.length
    expect([await open('/srv/a/b'), await open('/srv/../etc'), await open('/srv//a'), await open('/etc')]).toEqual([0, 1, 1, 1])
  })

  test('the same rule twice is one; its audit entry says what it was and is', async () => {
    const member = await stage.member('seven')
    const note = { subject: GRIND, effect: 'ask' as const, note: 'Since the fire' }
    const saved = await save(member.role_id, [WHEAT, WHEAT, note, { subject: GRIND, effect: 'ask' }])
    expect(saved.role.rules.map((rule) => rule.note ?? rule.when?.length ?? 0).toSorted()).toEqual([0, 1, 'Since the fire'])
    expect((await grind(member, { corn: 'rye' })).approvals[0]?.reason).toContain('Since the fire')
    await save(member.role_id, [note])
    const { items } = await admin.call(accounts.audit, { query: { action: 'role.updated', limit: 1 } })
    expect(items[0]?.details).toMatchObject({ before: { rules: expect.arrayContaining([WHEAT]) as unknown }, after: { rules: [note] } })
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
    expect(await problem(admin.call(accounts.updateRole, { params: { role_id: everybody }, body: { name: 'x' } }))).toBe('role_builtin')
    expect(await problem(admin.call(accounts.createRole, { body: { name: 'Everybody' } }))).toBe('role_exists')
    await save(everybody, [{ subject: 'files.read', effect: 'deny' }])
    expect(await problem(admin.call(contract.files.listFiles))).toBe('forbidden')
    await save(everybody, [])
    expect(await problem(admin.call(contract.files.listFiles))).toBeNull()
  })

  test('explain tells how each condition came out; a simulation counts by rule and tells no arguments', async () => {
    const deny = { subject: GRIND, effect: 'deny' as const, when: [{ at: '/corn', is: 'secret-rye' }] }
    const member = await stage.member('nine', [WHEAT, deny])
    const explain = (args?: Record<string, unknown>) =>
      admin.call(accounts.explainPolicy, { body: { user_id: member.user_id, tool: 'mill.grind', ...(args ? { arguments: args } : {}) } })
    const said = await explain({ corn: 'wheat', fine: true })
    expect(said).toMatchObject({ effect: 'ask' })
    const steps = said.trace.filter(({ step }) => step === 'rule')
    expect(steps).toMatchObject([
      { matched: false, effect: 'deny', conditions: [{ at: '/corn', operator: 'is', outcome: 'false' }] },
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
    expect((await explain()).effect).toBe('deny')
    await grind(member, { corn: 'wheat' })
    await grind(member, { corn: 'secret-rye' })
    await grind(member, { corn: 'oats' })
    const body = { role_id: member.role_id, rules: [{ ...deny, effect: 'ask' as const }, { subject: 'tool:mill.*', effect: 'allow' as const }] }
    const answer = await admin.call(accounts.simulatePolicy, { body })
    expect(answer).toMatchObject({ calls: 3, missing: 0, by_rule: [{ rule: 0, calls: 3, applies: 1 }] })
    expect(answer.items.map(({ decided, given }) => `${decided} ${given}`).toSorted()).toEqual(['ask allow', 'deny ask'])
    expect(JSON.stringify(answer)).not.toContain('rye')
    const all = await admin.call(accounts.simulatePolicy, { body: { role_id: everybody, rules: [{ subject: 'tool:mill.*', effect: 'deny' }] } })
    expect(all.changed).toBeGreaterThanOrEqual(2)
  })
})
