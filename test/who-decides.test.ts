import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decide, type PolicyRole } from '../server/accounts/policy/permissions.ts'
import type { PolicyTool } from '../server/accounts/policy/policy-tool.ts'

type Rules = PolicyRole['rules']
const TOOL: PolicyTool = { module: 'a', name: 'x', effect: 'write', builtin: true, reach: 'machine', agreed: true }
const ADMIN = 'rol_admin'

function needs(rules: Rules, common: Rules = [], tool: Partial<PolicyTool> = {}, admin = false, untrusted = false) {
  const role: PolicyRole = {
    role_id: 'r',
    name: 'r',
    admin,
    administrators: ADMIN,
    rules,
    common,
    audit_reads: 'count',
  }
  const decided = decide(role, null, { kind: 'tool', tool: { ...TOOL, ...tool }, argumentsLength: 0, untrusted })
  return {
    effect: decided.effect,
    needs: Object.fromEntries(decided.needs.map(({ role_id, count }) => [role_id, count])),
  }
}

const ask = (more: object = {}): Rules[number] => ({ subject: 'tool:a.x', effect: 'ask', ...more })
const of = (role_id: string, count: number) => ({ approvers: [{ role_id, count }] })

test('the largest number of each role counts, of all rules that apply', () => {
  const rules = [ask(of('p', 1)), ask({ note: 'two', ...of('p', 2) }), { ...ask(of('q', 1)), subject: 'tool:a.*' }]
  expect(needs(rules).needs).toEqual({ p: 2, q: 1 })
  expect(needs(rules, [ask(of('p', 3))]).needs).toEqual({ p: 3, q: 1 })
})

test('without a word about it: administrators decide their own calls, others what is their own', () => {
  expect(needs([ask()]).needs).toEqual({ [ADMIN]: 1 })
  expect(needs([ask()], [], {}, true).needs).toEqual({})
  expect(needs([ask()], [], { reach: 'own' }).needs).toEqual({})
  expect(needs([ask()], [], { effect: 'read' }).needs).toEqual({})
  // What a module says about its own tools is only a claim.
  expect(needs([ask()], [], { effect: 'read', builtin: false }).needs).toEqual({ [ADMIN]: 1 })
  expect(needs([{ subject: 'tool:a.x', effect: 'allow' }], [], { agreed: false }).needs).toEqual({ [ADMIN]: 1 })
})

test('an empty list leaves it to the person, unless another rule names somebody', () => {
  const own = ask({ approvers: [] })
  expect(needs([own])).toEqual({ effect: 'ask', needs: {} })
  expect(needs([own, ask(of('p', 1))]).needs).toEqual({ p: 1 })
  expect(needs([own], [ask(of('p', 1))]).needs).toEqual({ p: 1 })
})

test('what is only possible replaces no default, nor does what binds everybody', () => {
  const unknown = { when: [{ at: '/p', is: 'a' }] }
  expect(needs([ask(), ask({ ...unknown, approvers: [] })]).needs).toEqual({ [ADMIN]: 1 })
  expect(needs([ask(), ask({ ...unknown, ...of('p', 2) })]).needs).toEqual({ [ADMIN]: 1, p: 2 })
  expect(needs([ask()], [ask(of('p', 1))]).needs).toEqual({ [ADMIN]: 1, p: 1 })
})

test('what is allowed or denied needs nobody', () => {
  expect(needs([{ subject: 'tool:a.x', effect: 'allow' }])).toEqual({ effect: 'allow', needs: {} })
  expect(needs([{ subject: 'tool:a.x', effect: 'deny' }, ask(of('p', 1))])).toEqual({ effect: 'deny', needs: {} })
})

test('what asks only because of what its conversation has read is decided by the person', () => {
  const allow: Rules[number] = { subject: 'tool:a.x', effect: 'allow' }
  expect(needs([allow], [], {}, false, true)).toEqual({ effect: 'ask', needs: {} })
  expect(needs([allow, ask()], [], {}, false, true)).toEqual({ effect: 'ask', needs: { [ADMIN]: 1 } })
  expect(needs([allow], [ask(of('p', 1))], {}, false, true)).toEqual({ effect: 'ask', needs: { [ADMIN]: 1, p: 1 } })
})

test('a rule that binds everybody, or cannot be judged, never takes anybody away', () => {
  const roles = fc.constantFrom('p', 'q', ADMIN)
  const approvers = fc.array(fc.record({ role_id: roles, count: fc.integer({ min: 1, max: 3 }) }), { maxLength: 2 })
  const rule = fc.oneof(
    approvers.map((list) => ask({ approvers: list })),
    fc.constant(ask()),
    approvers.map((list) => ask({ approvers: list, when: [{ at: '/p', is: 'a' }] })),
  )
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 4 }),
      approvers,
      fc.boolean(),
      fc.boolean(),
      (list, added, common, admin) => {
        const before = needs([ask(), ...list], [], {}, admin).needs
        const one = common ? ask({ approvers: added }) : ask({ approvers: added, when: [{ at: '/q', is: 1 }] })
        const after = common
          ? needs([ask(), ...list], [one], {}, admin).needs
          : needs([ask(), ...list, one], [], {}, admin).needs
        for (const [role_id, count] of Object.entries(before)) expect(after[role_id]).toBeGreaterThanOrEqual(count)
      },
    ),
    { numRuns: 1000 },
  )
})
