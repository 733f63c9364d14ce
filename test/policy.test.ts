import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PolicyTool } from '../server/accounts/policy/policy-tool.ts'
import { ARGUMENTS_LIMIT, decide, type PolicyRole, subjectOf } from '../server/accounts/policy/permissions.ts'
import type { Question } from '../server/accounts/policy/question.ts'
import { PERMISSIONS, type Effect } from '../contract/route.ts'
import { addUser, openTestAccounts, setUp } from './stage/open-accounts.ts'
import { databases } from './stage/servers/postgres.ts'

const SEVERITY: Record<Effect, number> = { allow: 0, ask: 1, deny: 2 }

// Few names, so that rules meet questions often.
const effects = fc.constantFrom<Effect>('allow', 'ask', 'deny')
const subjects = fc.constantFrom(
  ...PERMISSIONS,
  'tool:a.*',
  'tool:a.x',
  'tool:a.x.y',
  'tool:a.xy',
  'tool:b.*',
  'tool:b.x',
)
const rules = fc.array(fc.record({ subject: subjects, effect: effects }), { maxLength: 12 })
const scopes = fc.option(fc.array(subjects, { maxLength: 4 }))
const tools = fc.record({
  module: fc.constantFrom('a', 'b'),
  name: fc.constantFrom('x', 'x.y', 'xy'),
  effect: fc.constantFrom<PolicyTool['effect']>('read', 'write', 'destructive', 'unknown'),
  builtin: fc.boolean(),
  reach: fc.constantFrom('own' as const, 'machine' as const),
  agreed: fc.boolean(),
})
const questions: fc.Arbitrary<Question> = fc.oneof(
  fc.constantFrom(...PERMISSIONS).map((permission) => ({ kind: 'permission' as const, permission })),
  fc.constant({ kind: 'procedure' as const, procedure_id: 'pcd_1' }),
  fc.record({
    kind: fc.constant('tool' as const),
    tool: tools,
    argumentsLength: fc.constantFrom(0, 2 * ARGUMENTS_LIMIT),
  }),
)
const role = (list: PolicyRole['rules'], admin = false): PolicyRole => ({
  role_id: 'rol_1',
  name: 'ops',
  admin,
  rules: list,
  audit_reads: 'count',
})
const RUNS = { numRuns: 1000 }

describe('the policy engine', () => {
  test('order and repetition of rules change nothing, not even the trace', () => {
    const shuffles = rules.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray([...list, ...list], { minLength: list.length * 2 })),
    )
    fc.assert(
      fc.property(shuffles, scopes, questions, ([list, shuffled], scope, question) => {
        const [a, b] = [decide(role(list), scope, question), decide(role(shuffled), scope, question)]
        expect(b.effect).toBe(a.effect)
        expect(b.reason).toEqual(a.reason)
        const sorted = list.toSorted((x, y) => (JSON.stringify(x) < JSON.stringify(y) ? -1 : 1))
        expect(decide(role(sorted), scope, question)).toEqual(a)
      }),
      RUNS,
    )
  })

  test('a rule that denies wins over everything, however general', () => {
    fc.assert(
      fc.property(rules, scopes, questions, (list, scope, question) => {
        const subject = question.kind === 'tool' ? `tool:${question.tool.module}.*` : subjectOf(question)
        expect(decide(role([...list, { subject, effect: 'deny' }]), scope, question).effect).toBe('deny')
      }),
      RUNS,
    )
  })

  test('one more deny or ask, or a token’s scope, never widens, but for the first rule about a tool of the machine', () => {
    fc.assert(
      fc.property(rules, scopes, questions, subjects, (list, scope, question, subject) => {
        const { effect: before, trace } = decide(role(list), null, question)
        const denied = decide(role([...list, { subject, effect: 'deny' }]), null, question).effect
        expect(SEVERITY[denied]).toBeGreaterThanOrEqual(SEVERITY[before])
        expect(SEVERITY[decide(role(list), scope, question).effect]).toBeGreaterThanOrEqual(SEVERITY[before])
        const asked = decide(role([...list, { subject, effect: 'ask' }]), null, question).effect
        // Without a rule they are denied: a rule that asks is how an administrator lets people ask.
        const byDefault = trace.some(({ step, matched, effect }) => step === 'default' && matched && effect === 'deny')
        if (!byDefault) expect(SEVERITY[asked]).toBeGreaterThanOrEqual(SEVERITY[before])
      }),
      RUNS,
    )
  })

  test('the verdict is the strictest step of the trace that matched, and its note is the reason', () => {
    fc.assert(
      fc.property(rules, scopes, questions, (list, scope, question) => {
        const { effect, reason, trace } = decide(role(list), scope, question)
        const deciding = trace.filter((step) => step.matched).map((step) => step.effect!)
        expect(effect).toBe(deciding.toSorted((a, b) => SEVERITY[b] - SEVERITY[a])[0])
        expect(trace.find((step) => step.note === reason)).toMatchObject({ matched: true, effect })
      }),
      RUNS,
    )
  })

  test('an unknown effect, or arguments that nobody reads, are never weaker than ask', () => {
    fc.assert(
      fc.property(rules, questions, (list, question) => {
        if (question.kind !== 'tool') return
        if (question.tool.effect !== 'unknown' && question.argumentsLength <= ARGUMENTS_LIMIT) return
        expect(decide(role(list), null, question).effect).not.toBe('allow')
      }),
      RUNS,
    )
  })

  test('the basis follows what decides, and nothing else', () => {
    const question: Question = {
      kind: 'tool',
      tool: { module: 'a', name: 'x', effect: 'write', builtin: false, reach: 'machine', agreed: true },
      argumentsLength: 2,
    }
    const basis = (list: PolicyRole['rules'], role_id = 'rol_1') =>
      decide({ ...role(list), role_id }, null, question).basis
    const allow = { subject: 'tool:a.x', effect: 'allow' as const }
    expect(basis([allow, { subject: 'tool:b.x', effect: 'deny' }])).toBe(basis([allow]))
    expect(basis([allow])).not.toBe(basis([]))
    expect(basis([allow])).not.toBe(basis([{ ...allow, subject: 'tool:a.*' }]))
    expect(basis([allow])).not.toBe(basis([{ ...allow, effect: 'ask' }]))
    expect(basis([])).not.toBe(basis([{ ...allow, effect: 'ask' }]))
    expect(basis([allow])).not.toBe(basis([allow], 'rol_2'))
  })

  test.each<[string, PolicyTool['effect'], boolean, PolicyRole['rules'], Effect]>([
    ['a built-in read-only tool', 'read', true, [], 'allow'],
    ['a module’s claim to be read-only', 'read', false, [], 'ask'],
    ['a built-in tool that writes', 'write', true, [], 'ask'],
    ['a built-in tool of unknown effect', 'unknown', true, [], 'ask'],
    ['a module’s tool that is allowed', 'write', false, [{ subject: 'tool:a.*', effect: 'allow' }], 'allow'],
    ['a destructive tool that is allowed', 'destructive', false, [{ subject: 'tool:a.x', effect: 'allow' }], 'allow'],
    ['a built-in read-only tool that asks', 'read', true, [{ subject: 'tool:a.x', effect: 'ask' }], 'ask'],
    ['a rule of another module with a like name', 'read', true, [{ subject: 'tool:a-b.*', effect: 'deny' }], 'allow'],
    ['a rule of another tool with a like name', 'read', true, [{ subject: 'tool:a.x.y', effect: 'deny' }], 'allow'],
    ['permissions say nothing of tools', 'read', true, [{ subject: 'codex.use', effect: 'deny' }], 'allow'],
  ])('%s', (_what, effect, builtin, list, expected) => {
    const tool: PolicyTool = { module: 'a', name: 'x', effect, builtin, reach: 'own', agreed: true }
    const question: Question = { kind: 'tool', tool, argumentsLength: 0 }
    expect(decide(role(list), null, question).effect).toBe(expected)
  })

  test.each<[string, Pick<PolicyTool, 'effect' | 'builtin' | 'reach'>, boolean, Effect]>([
    ['a built-in tool that reads the machine', { effect: 'read', builtin: true, reach: 'machine' }, false, 'deny'],
    ['a built-in tool that changes the machine', { effect: 'write', builtin: true, reach: 'machine' }, false, 'deny'],
    ['the same for a role that administers', { effect: 'write', builtin: true, reach: 'machine' }, true, 'ask'],
    ['reading, for a role that administers', { effect: 'read', builtin: true, reach: 'machine' }, true, 'allow'],
    ['reading what is the person’s own', { effect: 'read', builtin: true, reach: 'own' }, false, 'allow'],
    ['an installed module, which asks', { effect: 'read', builtin: false, reach: 'machine' }, false, 'ask'],
  ])('without a rule: %s', (_what, known, admin, expected) => {
    const tool: PolicyTool = { module: 'a', name: 'x', agreed: true, ...known }
    const question: Question = { kind: 'tool', tool, argumentsLength: 0 }
    expect(decide(role([], admin), null, question).effect).toBe(expected)
    for (const effect of ['allow', 'ask', 'deny'] as const)
      expect(decide(role([{ subject: 'tool:a.x', effect }], admin), null, question).effect).toBe(effect)
  })

  test('no name of a module or a tool ever reads as a permission, or as another module’s tool', () => {
    const names = fc.constantFrom('reeve', 'codex', 'files', 'tool', 'codex.use', 'files.read', 'use', 'read', 'x.y')
    const modules = fc.constantFrom('reeve', 'codex', 'files', 'tool', 'x')
    fc.assert(
      fc.property(modules, names, modules, names, (module, name, other, otherName) => {
        const tool: PolicyTool = { module, name, effect: 'write', builtin: false, reach: 'own', agreed: true }
        const list = [{ subject: `tool:${other}.${otherName}`, effect: 'deny' as const }]
        const same = module === other && name === otherName
        expect(decide(role(list), null, { kind: 'tool', tool, argumentsLength: 0 }).effect).toBe(same ? 'deny' : 'ask')
        for (const permission of PERMISSIONS)
          expect(
            decide(
              role(list, true),
              list.map(({ subject }) => subject),
              { kind: 'permission', permission },
            ),
          ).toMatchObject({
            effect: 'deny',
            trace: [{ step: 'scope', matched: true }, { step: 'default', matched: true, effect: 'allow' }, {}],
          })
      }),
      RUNS,
    )
  })

  test('a tool that nobody agreed to asks at least, whatever is allowed', () => {
    const tool = {
      module: 'a',
      name: 'x',
      effect: 'read' as const,
      builtin: false,
      reach: 'own' as const,
      agreed: false,
    }
    const effectOf = (list: PolicyRole['rules']) =>
      decide(role(list), null, { kind: 'tool', tool, argumentsLength: 0 }).effect
    expect(effectOf([{ subject: 'tool:a.*', effect: 'allow' }])).toBe('ask')
    expect(effectOf([{ subject: 'tool:a.x', effect: 'deny' }])).toBe('deny')
  })

  test('more rules than the limit: at least ask, and every one of them still counts', () => {
    const many = Array.from({ length: 1001 }, (_, i) => ({ subject: `tool:b.t${i}`, effect: 'allow' as const }))
    const question: Question = { kind: 'permission', permission: 'files.read' }
    expect(decide(role(many.slice(1)), null, question).effect).toBe('allow')
    expect(decide(role(many), null, question)).toMatchObject({
      effect: 'ask',
      reason: { values: ['ops', 1001, 1000] },
    })
    expect(decide(role([...many, { subject: 'files.read', effect: 'deny' }]), null, question).effect).toBe('deny')
  })
})

const CLEAN = { untrusted: false }

describe.each(databases)('the policy on $name', (database) => {
  const restart: PolicyTool = {
    module: 'system',
    name: 'restart',
    effect: 'write',
    builtin: true,
    reach: 'own',
    agreed: true,
  }

  const ported = {
    ...restart,
    definition_hash: '',
    input_schema: {},
    real_paths: false,
    fill: (input: Record<string, unknown>) => input,
  }

  test('follows role, rules and user at once, in two queries', async () => {
    const { accounts, call, statements } = await openTestAccounts(database)
    const { caller: root } = await setUp(accounts)
    const user = await addUser(accounts, root, 'ann')
    const { forUser } = accounts.policy
    statements.length = 0
    const before = (await accounts.policy.forUser(user.user_id, null, 'session'))!
    expect(statements).toHaveLength(2)
    expect(before.call(ported, {}, CLEAN).effect).toBe('ask')
    expect(before.permission('files.read').effect).toBe('allow')
    expect(before.call({ ...ported, effect: 'read' }, { text: 'x'.repeat(ARGUMENTS_LIMIT) }, CLEAN).effect).toBe('ask')
    const rules = [{ subject: 'tool:system.restart', effect: 'allow' as const }]
    await call('updateRole', { caller: root, params: { role_id: user.role_id }, body: { rules } })
    const after = (await accounts.policy.forUser(user.user_id, null, 'session'))!
    expect(after.call(ported, {}, CLEAN).effect).toBe('allow')
    expect(after.call(ported, {}, CLEAN).basis).not.toBe(before.call(ported, {}, CLEAN).basis)
    expect(after.permission('files.read').basis).toBe(before.permission('files.read').basis)
    for (const [scope, effect] of Object.entries({ 'tool:other.*': 'deny', 'tool:system.*': 'allow' }))
      expect((await forUser(user.user_id, [scope], 'token'))!.call(ported, {}, CLEAN).effect).toBe(effect)
    await call('updateUser', { caller: root, params: { user_id: user.user_id }, body: { disabled: true } })
    for (const id of [user.user_id, 'usr_nobody']) expect(await forUser(id, null, 'session')).toBeNull()
  })

  test('explain says what the engine says, for a user, a role, a known and an unknown tool', async () => {
    const findTool = (module: string, name: string) => (module === 'system' && name === 'restart' ? restart : undefined)
    const { accounts, call } = await openTestAccounts(database, { findTool })
    const { caller: root } = await setUp(accounts)
    const user = await addUser(accounts, root, 'ann')
    const rules = [
      { subject: 'tool:ghost.*', effect: 'allow' as const },
      { subject: 'tool:system.*', effect: 'ask' as const },
    ]
    await call('updateRole', { caller: root, params: { role_id: user.role_id }, body: { rules } })
    const explain = (body: { user_id?: string; role?: string; tool: string; arguments?: Record<string, unknown> }) =>
      call('explainPolicy', { caller: root, body })

    const known = await explain({ user_id: user.user_id, tool: 'system.restart' })
    expect(known).toMatchObject({ effect: 'ask', subject: 'tool:system.restart', role: 'user', known_tool: true })
    expect(known.trace.filter(({ matched }) => matched)).toEqual([
      expect.objectContaining({ step: 'rule', subject: 'tool:system.*' }),
      expect.objectContaining({ step: 'deciders', note: 'Whoever asks for the call decides.' }),
    ])
    const engine = (await accounts.policy.forUser(user.user_id, null, 'session'))!.call(ported, {}, CLEAN)
    expect(known.reason).toBe(engine.reason)

    expect(await explain({ role: 'USER', tool: 'tool:ghost.walk' })).toMatchObject({ effect: 'ask', known_tool: false })
    expect(await explain({ role: user.role_id, tool: 'codex.use' })).toMatchObject({
      effect: 'allow',
      subject: 'codex.use',
      known_tool: true,
    })
    const large = { text: 'x'.repeat(ARGUMENTS_LIMIT) }
    expect((await explain({ role: 'admin', tool: 'system.restart', arguments: large })).trace).toContainEqual(
      expect.objectContaining({ step: 'arguments_limit', matched: true }),
    )
    await expect(explain({ role: 'nosuch', tool: 'codex.use' })).rejects.toMatchObject({ code: 'not_found' })
    await expect(explain({ user_id: 'usr_nobody', tool: 'codex.use' })).rejects.toMatchObject({ code: 'not_found' })
    await expect(explain({ role: 'user', tool: 'nonsense' })).rejects.toMatchObject({ code: 'invalid_request' })
    await call('updateUser', { caller: root, params: { user_id: user.user_id }, body: { disabled: true } })
    expect(await explain({ user_id: user.user_id, tool: 'codex.use' })).toMatchObject({ effect: 'deny' })
  })
})
