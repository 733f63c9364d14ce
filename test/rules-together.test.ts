import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Condition } from '../contract/rule-conditions.ts'
import type { Effect } from '../contract/route.ts'
import { decide, mildest, type PolicyRole } from '../server/accounts/policy/permissions.ts'
import type { PolicyTool } from '../server/accounts/policy/policy-tool.ts'
import type { Question } from '../server/accounts/policy/question.ts'

type Args = Record<string, unknown>
const LONG = JSON.parse('9007199254740993') as number

describe('rules together', () => {
  const schema = { properties: { p: { default: 'd' } } }
  const tool: PolicyTool = {
    module: 'a',
    name: 'x',
    effect: 'write',
    builtin: true,
    reach: 'machine',
    agreed: true,
    definition: {
      definition_hash: 'h',
      input_schema: schema,
      real_paths: true,
      fill: (input) => ({ p: 'd', ...input }),
    },
  }
  const texts = fc.constantFrom('a', 'A', 'b', 'd', '/srv/a', '/srv/../a', 'https://x.test/', 'b\u200b')
  const values = fc.oneof(texts, fc.constantFrom<unknown>(1, 2, LONG, true, null), fc.array(texts, { maxLength: 2 }))
  const tests = fc.constantFrom<Args>(
    { is: 'a' },
    { in: ['a', 'b', 1] },
    { min: 1, max: 1 },
    { under: ['/srv'] },
    { host: ['x.test'] },
    { absent: true },
    { each: { is: 'a' } },
  )
  const conditions = fc.tuple(fc.constantFrom('/p', '/q'), tests).map(([at, one]) => Condition.parse({ at, ...one }))
  const groups = fc.array(conditions, { minLength: 1, maxLength: 2 })
  const note = fc.constantFrom({}, { note: 'why' })
  const strict = fc.record({
    subject: fc.constantFrom('tool:a.x', 'tool:a.*'),
    effect: fc.constantFrom('ask' as const, 'deny' as const),
  })
  const plain = fc.oneof(strict, fc.constant({ subject: 'tool:a.x', effect: 'allow' as const }))
  const conditional = fc.oneof(
    fc.tuple(strict, groups, note).map(([rule, when, more]) => ({ ...rule, when, ...more })),
    fc.tuple(strict, fc.array(groups, { minLength: 1, maxLength: 2 })).map(([rule, unless]) => ({ ...rule, unless })),
  )
  const allowing = groups.map((when) => ({ subject: 'tool:a.x', effect: 'allow' as const, when }))
  const rules = fc.array(fc.oneof(plain, conditional, allowing), { maxLength: 6 })
  const calls = fc.record({ p: values, q: values }, { requiredKeys: [] })
  const SEVERITY: Record<Effect, number> = { allow: 0, ask: 1, deny: 2 }
  const role = (list: PolicyRole['rules'], common: PolicyRole['rules'] = [], admin = false): PolicyRole => ({
    role_id: 'r',
    name: 'r',
    admin,
    rules: list,
    common,
    audit_reads: 'count',
  })
  const asked = (args?: Args): Question => ({ kind: 'tool', tool, argumentsLength: 0, ...(args ? { args } : {}) })
  const effect = (who: PolicyRole, args?: Args) => SEVERITY[decide(who, null, asked(args)).effect]
  const RUNS = { numRuns: 3000 }

  test('in a conversation that holds what others may have written, nothing is milder, and only reading stays unasked', () => {
    const trusting = allowing.map((rule) => ({ ...rule, even_untrusted: true as const }))
    const all = fc
      .array(
        fc.oneof(
          rules,
          trusting.map((rule) => [rule]),
        ),
        { maxLength: 3 },
      )
      .map((lists) => lists.flat())
    fc.assert(
      fc.property(all, calls, fc.boolean(), (list, args, admin) => {
        const clean = decide(role(list, [], admin), null, asked(args))
        const marked = decide(role(list, [], admin), null, { ...asked(args), untrusted: true } as Question)
        expect(SEVERITY[marked.effect]).toBeGreaterThanOrEqual(SEVERITY[clean.effect])
        // What asked anyway is the same verdict, so what was approved exactly stays approved.
        if (clean.effect !== 'allow') expect(marked.basis).toBe(clean.basis)
        else if (!clean.trace.some((step) => step.matched && step.even_untrusted)) expect(marked.effect).toBe('ask')
        const reading = { ...asked(args), tool: { ...tool, effect: 'read' }, untrusted: true } as Question
        expect(decide(role(list, [], admin), null, reading).effect).toBe(
          decide(role(list, [], admin), null, { ...reading, untrusted: false } as Question).effect,
        )
      }),
      RUNS,
    )
  })

  test('one more rule that asks or denies, whatever it looks at, never weakens what rules decide', () => {
    fc.assert(
      fc.property(rules, fc.oneof(strict, conditional), calls, fc.boolean(), (list, added, args, admin) => {
        const before = decide(role(list, [], admin), null, asked(args))
        // A first rule about a tool that is denied by default is how an administrator lets people ask.
        const byDefault = before.trace.some((step) => step.step === 'default' && step.effect === 'deny')
        if (!byDefault)
          expect(effect(role([...list, added], [], admin), args)).toBeGreaterThanOrEqual(SEVERITY[before.effect])
        // Nothing that binds everybody lets anybody do more.
        expect(effect(role(list, [added], admin), args)).toBeGreaterThanOrEqual(SEVERITY[before.effect])
      }),
      RUNS,
    )
  })

  test('what cannot be told is never milder than anything it could have been', () => {
    fc.assert(
      fc.property(rules, calls, fc.boolean(), (list, args, admin) => {
        expect(effect(role(list, [], admin))).toBeGreaterThanOrEqual(effect(role(list, [], admin), args))
      }),
      RUNS,
    )
  })

  test('a list hides nothing that a call may do, and shows nothing milder than every call', () => {
    fc.assert(
      fc.property(rules, fc.array(conditional, { maxLength: 2 }), calls, fc.boolean(), (list, common, args, admin) => {
        const listed = SEVERITY[mildest(role(list, common, admin), null, tool).effect]
        expect(listed).toBeLessThanOrEqual(effect(role(list, common, admin), args))
      }),
      RUNS,
    )
  })

  test('the basis tells rules apart that differ in their conditions only', () => {
    const basis = (spec: object) =>
      decide(role([{ subject: 'tool:a.x', effect: 'ask', ...spec }]), null, asked({ p: 'a' })).basis
    const one = basis({ when: [{ at: '/p', is: 'a' }] })
    expect(one).toBe(basis({ when: [{ at: '/p', is: 'a' }] }))
    expect(one).not.toBe(basis({}))
    expect(one).not.toBe(basis({ when: [{ at: '/p', in: ['a', 'b'] }] }))
    expect(one).not.toBe(basis({ when: [{ at: '/p', is: 'a' }], note: 'Because.' }))
  })

  test('a rule whose examples no longer come out as they say allows nothing; one that denies does', () => {
    const examples = { match: [{ p: 'a' }], no_match: [{ p: 'b' }] }
    const rule = { subject: 'tool:a.x', effect: 'allow' as const, when: [{ at: '/p', is: 'a' }], examples }
    const changed = {
      ...tool,
      definition: { ...tool.definition!, definition_hash: 'i', fill: (input: Args) => ({ ...input, q: 1 }) },
    }
    const decided = (list: PolicyRole['rules'], judgedTool: PolicyTool) =>
      decide(role(list), null, { kind: 'tool', tool: judgedTool, argumentsLength: 0, args: { p: 'a' } })
    expect(decided([rule], tool).effect).toBe('allow')
    expect(decided([rule], changed)).toMatchObject({
      effect: 'deny',
      trace: [{}, { matched: false, effect: 'allow' }, {}, {}, {}, {}, {}],
    })
    expect(decided([{ ...rule, effect: 'ask' }], changed).effect).toBe('ask')
  })
})
