import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PastCall } from '../server/accounts/accounts-context.ts'
import type { PolicyTool } from '../server/accounts/policy/policy-tool.ts'
import { ARGUMENTS_LIMIT, decide } from '../server/accounts/policy/permissions.ts'
import { pastCalls } from '../server/chat/history/past-calls.ts'
import type { Effect } from '../contract/route.ts'
import { contract } from '../contract/index.ts'
import { startTestApp } from './stage/app.ts'
import { say } from './stage/chat-stage.ts'
import { openTestAccounts, setUp } from './stage/open-accounts.ts'
import { databases } from './stage/servers/postgres.ts'

const code = (expected: string) => expect.objectContaining({ code: expected })
const EFFECTS: readonly Effect[] = ['allow', 'ask', 'deny']
const TOOLS: readonly PolicyTool[] = [
  { module: 'a', name: 'x', effect: 'read', builtin: true, reach: 'own', agreed: true },
  { module: 'a', name: 'y', effect: 'unknown', builtin: true, reach: 'own', agreed: true },
  { module: 'b', name: 'x', effect: 'destructive', builtin: false, reach: 'machine', agreed: false },
]
const subjects: fc.Arbitrary<string> = fc.constantFrom(
  'tool:a.*',
  'tool:a.x',
  'tool:a.y',
  'tool:b.*',
  'tool:b.x',
  'files.read',
)
const rules = fc.array(fc.record({ subject: subjects, effect: fc.constantFrom(...EFFECTS) }), { maxLength: 6 })
const calls: fc.Arbitrary<PastCall[]> = fc.uniqueArray(
  fc.record({
    module: fc.constantFrom('a', 'b'),
    tool: fc.constantFrom('x', 'y'),
    title: fc.constant('A tool'),
    decision: fc.constantFrom(...EFFECTS),
    long: fc.boolean(),
    calls: fc.integer({ min: 1, max: 9 }),
    last_at: fc.constant(Date.UTC(2026, 0, 1)),
    same: fc.constant(null),
    targets: fc.constant(null),
  }),
  { selector: ({ module, tool, decision, long }) => `${module}.${tool} ${decision} ${long}` },
)

describe.each(databases)('the policy of roles on $name', (database) => {
  test('a simulation says what the policy engine says', async () => {
    let past: PastCall[] = []
    const { accounts, call } = await openTestAccounts(database, {
      findTool: (module, name) => TOOLS.find((tool) => tool.module === module && tool.name === name),
      pastCalls: () => Promise.resolve({ items: past, partial: false }),
    })
    const { caller: root } = await setUp(accounts)
    const saved = [{ subject: 'tool:a.x', effect: 'ask' as const }]
    const { role } = await call('createRole', { caller: root, body: { name: 'ops', rules: saved } })
    await fc.assert(
      fc.asyncProperty(rules, calls, async (given, items) => {
        past = items
        const body = { role_id: role.role_id, rules: given, days: 30, limit: 200 }
        const answer = await call('simulatePolicy', { caller: root, body })
        const judge = (list: typeof given, one: PastCall) => {
          const tool = TOOLS.find(({ module, name }) => module === one.module && name === one.tool)
          const argumentsLength = one.long ? ARGUMENTS_LIMIT + 1 : 0
          return tool && decide({ ...role, rules: list }, null, { kind: 'tool', tool, argumentsLength }).effect
        }
        const sum = (list: readonly { calls: number }[]) => list.reduce((total, one) => total + one.calls, 0)
        const changed = items.filter((one) => judge(given, one) !== undefined && judge(given, one) !== one.decision)
        expect(answer.calls).toBe(sum(items))
        expect(answer.missing).toBe(sum(items.filter((one) => judge(given, one) === undefined)))
        expect(answer.changed).toBe(sum(changed))
        expect(sum(answer.items)).toBe(sum(changed))
        for (const line of answer.items) {
          const from = changed.filter(
            (one) =>
              one.module === line.module &&
              one.tool === line.tool &&
              one.decision === line.decided &&
              judge(given, one) === line.given &&
              judge(saved, one) === line.saved,
          )
          expect(line.calls).toBe(sum(from))
        }
      }),
      { numRuns: 200 },
    )
    const unknown = call('simulatePolicy', {
      caller: root,
      body: { role_id: 'rol_none', rules: [], days: 1, limit: 1 },
    })
    await expect(unknown).rejects.toEqual(code('not_found'))
    // Asking changes nothing.
    expect((await call('listRoles', { caller: root })).items.at(-1)).toMatchObject({ rules: saved, revision: 0 })
  })

  test('a change that somebody else made meanwhile is not lost', async () => {
    const { accounts, call } = await openTestAccounts(database)
    const { caller: root } = await setUp(accounts)
    const { role } = await call('createRole', { caller: root, body: { name: 'ops', rules: [] } })
    const params = { role_id: role.role_id }
    const change = (effect: Effect, revision?: number) =>
      call('updateRole', { caller: root, params, body: { rules: [{ subject: 'files.read', effect }], revision } })
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => change(EFFECTS[i % 3]!, role.revision)),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toEqual(code('role_changed'))
    const [after] = (await call('listRoles', { caller: root })).items.filter(({ name }) => name === 'ops')
    expect(after!.revision).toBe(1)
    // Scripts that do not say what they have seen write as before.
    expect((await change('ask')).role.revision).toBe(2)
    expect((await change('deny', 2)).role.revision).toBe(3)
  })
})

describe.each(databases)('what was called, on $name', (database) => {
  test('is told as names, decisions and numbers of one role, through the front door', async () => {
    await using app = await startTestApp({ database })
    const [admin, ann] = [await app.as('admin'), await app.as('ann')]
    await say(ann, '/system.run_command {"command":"echo a-secret-argument"}')
    await say(ann, '/system.host')
    await say(ann, '/system.host')
    await say(ann, '/system.host {"nonsense":1}')
    await say(admin, '/system.host')
    const { items: roles } = await admin.call(contract.accounts.listRoles)
    const role = roles.find(({ name }) => name === 'user')!
    const found = await pastCalls(app.app.db.read, role.role_id, Date.now() - 60_000, ARGUMENTS_LIMIT)
    const told = found.items.map(({ tool, decision, calls: count }) => `${tool} ${decision} ${count}`).toSorted()
    expect(told).toEqual(['host allow 2', 'run_command ask 1'])
    expect(JSON.stringify(found)).not.toContain('secret')
    const long = await pastCalls(app.app.db.read, role.role_id, 0, 10)
    expect(long.items.filter((one) => one.long).map(({ tool }) => tool)).toEqual(['run_command'])
    expect((await pastCalls(app.app.db.read, role.role_id, Date.now() + 60_000, 1)).items).toEqual([])

    const given = [{ subject: 'tool:system.*', effect: 'deny' as const }]
    const answer = await admin.call(contract.accounts.simulatePolicy, { body: { role_id: role.role_id, rules: given } })
    expect(answer).toMatchObject({ calls: 3, changed: 3, missing: 0, partial: false })
    expect(
      answer.items.map(({ tool, decided, saved, given: now, calls: count }) => [tool, decided, saved, now, count]),
    ).toEqual([
      ['host', 'allow', 'allow', 'deny', 2],
      ['run_command', 'ask', 'ask', 'deny', 1],
    ])
    expect(JSON.stringify(answer)).not.toContain('secret')
  })
})
