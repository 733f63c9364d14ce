import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { contract } from '../contract/index.ts'
import type { Rule } from '../contract/rules.ts'
import { newId } from '../server/kernel/id.ts'
import { decide, type Member, openStage, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { GRIND, millModule, WHEAT } from './stage/modules/mill-module.ts'
import { databases } from './stage/servers/postgres.ts'

type RuleEntry = z.input<typeof Rule>
const { accounts } = contract

describe.each(databases)('a rule is tried while it is made on $name', (database) => {
  const { module } = millModule()
  let stage: Stage
  let admin: TestClient
  let miller: Member
  beforeAll(async () => {
    stage = await openStage(database, { engine: false, builtins: [module] })
    admin = await stage.as('admin')
    await admin.call(contract.chat.listTools)
    miller = await stage.member('miller')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const tried = (rule: RuleEntry, client = admin) =>
    client.call(accounts.tryRule, { body: { role_id: miller.role_id, rule } })
  const use = (tool: string, args: object) => say(miller.client, `/mill.${tool} ${JSON.stringify(args)}`)

  test('past calls of anybody are sorted by it, each arguments once, waiting and denied ones included', async () => {
    for (let i = 0; i < 7; i++) await use('grind', { corn: `rye ${i}` })
    await use('grind', { corn: 'wheat' })
    await use('grind', { corn: 'wheat' })
    const [card] = (await use('open', { corn: 'wheat' })).approvals
    await decide(miller.client, card!.approval_id, 'deny')
    const { problem, past } = await tried(WHEAT)
    expect(problem).toBeNull()
    expect(past).toMatchObject({ calls: 9, applies: 2, unknown: 0, partial: false })
    expect(past!.match).toHaveLength(1)
    expect(past!.match[0]).toMatchObject({ username: 'miller', decision: 'ask', calls: 2, arguments_cut: false })
    expect(JSON.parse(past!.match[0]!.arguments)).toMatchObject({ corn: 'wheat', sacks: 1 })
    expect(past!.no_match.map((call) => (JSON.parse(call.arguments) as { corn: string }).corn)).toEqual([
      'rye 6',
      'rye 5',
      'rye 4',
      'rye 3',
      'rye 2',
    ])
    expect(past!.no_match[0]!.conditions[0]).toMatchObject({ at: '/corn', operator: 'is', outcome: 'false' })
    const denied = await tried({ subject: 'tool:mill.open', effect: 'deny', when: [{ at: '/corn', is: 'wheat' }] })
    expect(denied.past).toMatchObject({ calls: 1, match: [{ decision: 'ask' }] })
    const long = { corn: 'x'.repeat(3000) }
    await use('grind', long)
    expect((await tried(WHEAT)).past!.no_match[0]).toMatchObject({ arguments_cut: true })
  })

  test.each<[string, RuleEntry, string, string]>([
    ['no examples', { ...WHEAT, examples: undefined }, 'bad_rule', 'examples'],
    [
      'a folder that is none',
      {
        subject: GRIND,
        effect: 'ask',
        when: [
          { at: '/corn', is: 'rye' },
          { at: '/path', under: ['srv'] },
        ],
      },
      'bad_rule',
      'when.1',
    ],
    [
      'a host that is none, in a group',
      {
        subject: GRIND,
        effect: 'ask',
        unless: [
          [{ at: '/corn', is: 'rye' }],
          [
            { at: '/corn', is: 'rye' },
            { at: '/path', host: ['A B'] },
          ],
        ],
      },
      'bad_rule',
      'unless.1.1',
    ],
    ['an argument that is no pointer', { ...WHEAT, free: ['/sacks', '/a~2'] }, 'bad_rule', 'free.1'],
    [
      'an example that does not match',
      { ...WHEAT, examples: { ...WHEAT.examples, match: [{ corn: 'wheat' }, { corn: 'rye' }] } },
      'rule_example_failed',
      'examples.match.1',
    ],
    [
      'a path of a tool that may follow links',
      { ...WHEAT, when: [{ at: '/path', under: ['/srv'] }] },
      'rule_path_unsafe',
      'when.0',
    ],
    ['a tool that is not there', { ...WHEAT, subject: 'tool:ghost.walk' }, 'rule_tool_missing', 'subject'],
  ])('what is wrong is said with its place: %s', async (_what, rule, code, path) => {
    expect((await tried(rule)).problem).toMatchObject({ code, path })
  })

  test('each example comes out with its conditions', async () => {
    const { examples } = await tried({
      ...WHEAT,
      examples: { match: [{ corn: 'wheat' }], no_match: [{ corn: 'wheat' }] },
    })
    expect(examples).toMatchObject({
      match: [{ applies: true, conditions: [{ at: '/corn', outcome: 'true' }] }],
      no_match: [{ applies: true }],
    })
  })

  test('only administrators ask, and past calls are for those who may read the audit log', async () => {
    await expect(tried(WHEAT, miller.client)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(admin.call(accounts.tryRule, { body: { role_id: 'rol_none', rule: WHEAT } })).rejects.toMatchObject({
      code: 'not_found',
    })
    const { items } = await admin.call(accounts.listRoles)
    const own = items.find((role) => role.admin)!
    const params = { role_id: own.role_id }
    await admin.call(accounts.updateRole, {
      params,
      body: { rules: [...own.rules, { subject: 'audit.read', effect: 'deny' }] },
    })
    const { past, examples } = await tried(WHEAT)
    expect(past).toBeNull()
    expect(examples?.match).toHaveLength(1)
    await admin.call(accounts.updateRole, { params, body: { rules: own.rules } })
  })

  test('what others only read is shown where the audit log keeps it', async () => {
    await say(miller.client, '/system.memory')
    const rule: RuleEntry = { subject: 'tool:system.memory', effect: 'deny', when: [{ at: '/swap', absent: true }] }
    expect((await tried(rule)).past).toMatchObject({ calls: 1, applies: 1, match: [] })
    await admin.call(accounts.updateRole, { params: { role_id: miller.role_id }, body: { audit_reads: 'full' } })
    expect((await tried(rule)).past!.match).toMatchObject([{ username: 'miller', arguments: '{}' }])
  })

  test('of many calls only the newest are tried, and those with masked arguments are only counted', async () => {
    await use('open', { corn: 'rye' })
    const { db } = stage.app
    const row = await db.read
      .selectFrom('tool_call')
      .selectAll()
      .where('module', '=', 'mill')
      .where('tool', '=', 'open')
      .executeTakeFirstOrThrow()
    const copies = Array.from({ length: 1100 }, (_, i) => ({
      ...row,
      tool_call_id: newId('toolCall'),
      arguments_hash: `not the hash of what is stored ${i}`,
    }))
    await db.transaction(async (trx) => {
      for (let at = 0; at < copies.length; at += 50)
        await trx
          .insertInto('tool_call')
          .values(copies.slice(at, at + 50))
          .execute()
    })
    const { past } = await tried({ subject: 'tool:mill.open', effect: 'deny', when: [{ at: '/corn', is: 'rye' }] })
    expect(past).toEqual({ calls: 0, applies: 0, unknown: 1000, partial: true, match: [], no_match: [] })
  })
})
