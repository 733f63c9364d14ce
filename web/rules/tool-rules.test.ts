import { describe, expect, test } from 'vitest'
import { detailedRules, effectOf, permissionEffect, type Role, ruleOf, ruleSubject, withRule } from './tool-rules.ts'

const tool = { name: 'write', effect: 'write', pin: 'agreed' } as const
const own = ruleSubject('mill', 'write')
const all = ruleSubject('mill', null)
const mill = { name: 'mill', builtin: false, reach: 'machine' } as const
const tables = { name: 'tables', builtin: true, reach: 'own' } as const
const system = { name: 'system', builtin: true, reach: 'machine' } as const
const role = (rules: Role['rules'], admin = false) => ({ rules, admin })

describe('the rules of a module’s tools', () => {
  test('the strictest rule decides, in whatever order', () => {
    for (const rules of [
      [
        { subject: all, effect: 'deny' },
        { subject: own, effect: 'allow' },
      ] as const,
      [
        { subject: own, effect: 'allow' },
        { subject: all, effect: 'deny' },
      ] as const,
    ]) {
      expect(effectOf(role([...rules]), mill, tool)).toEqual({ effect: 'deny', source: 'module_rule' })
    }
    expect(
      ruleOf(
        [
          { subject: own, effect: 'allow' },
          { subject: own, effect: 'ask' },
        ],
        own,
      ),
    ).toBe('ask')
  })

  test('without a rule: built-ins that only read run, everything else asks', () => {
    const reads = { ...tool, effect: 'read' } as const
    expect(effectOf(role([]), tables, reads)).toEqual({ effect: 'allow', source: 'default_read' })
    expect(effectOf(role([]), mill, reads)).toEqual({ effect: 'ask', source: 'default' })
    expect(effectOf(role([]), tables, tool)).toEqual({ effect: 'ask', source: 'default' })
  })

  test('without a rule only roles that administer have the tools of the machine', () => {
    const reads = { ...tool, effect: 'read' } as const
    expect(effectOf(role([]), system, reads)).toEqual({ effect: 'deny', source: 'default_machine' })
    expect(effectOf(role([]), system, tool)).toEqual({ effect: 'deny', source: 'default_machine' })
    expect(effectOf(role([], true), system, reads)).toEqual({ effect: 'allow', source: 'default_read' })
    expect(effectOf(role([], true), system, tool)).toEqual({ effect: 'ask', source: 'default' })
    const rules = [{ subject: ruleSubject('system', 'write'), effect: 'ask' } as const]
    expect(effectOf(role(rules), system, tool)).toEqual({ effect: 'ask', source: 'tool_rule' })
  })

  test('an allow rule is never enough for unknown effects or tools not agreed to', () => {
    const rules = [{ subject: own, effect: 'allow' } as const]
    expect(effectOf(role(rules), mill, tool)).toEqual({ effect: 'allow', source: 'tool_rule' })
    expect(effectOf(role(rules), mill, { ...tool, pin: 'changed' }).source).toBe('not_agreed')
    expect(effectOf(role(rules), mill, { ...tool, effect: 'unknown' }).source).toBe('unknown_effect')
  })

  test('rules with conditions decide nothing here, and stay when the rule for all calls changes', () => {
    const ask = { subject: own, effect: 'deny', when: [{ at: '/x', is: 'a' }] } as const
    const rules = [{ ...ask, when: [...ask.when] }]
    expect(effectOf(role(rules), mill, tool)).toEqual({ effect: 'ask', source: 'default' })
    expect(detailedRules(rules, own)).toBe(1)
    expect(withRule(withRule(rules, own, 'allow'), own, null)).toEqual(rules)
  })

  test('a rule that says who decides stays when its effect is chosen again', () => {
    const asks = { subject: own, effect: 'ask' as const, approvers: [{ role_id: 'rol_1', count: 1 }] }
    expect(withRule([asks], own, 'ask')).toEqual([asks])
    expect(withRule([asks], own, 'allow')).toEqual([{ subject: own, effect: 'allow' }])
  })

  test('what binds everybody is never milder, and replaces no default', () => {
    const common = (effect: 'ask' | 'deny') => [{ subject: own, effect }]
    const allowed = [{ subject: own, effect: 'allow' } as const]
    expect(effectOf({ ...role(allowed), common: common('ask') }, mill, tool)).toEqual({
      effect: 'ask',
      source: 'everybody',
    })
    expect(
      effectOf({ ...role([]), common: [{ subject: ruleSubject('system', 'write'), effect: 'ask' }] }, system, tool),
    ).toEqual({
      effect: 'deny',
      source: 'default_machine',
    })
    const files = [{ subject: 'files.read', effect: 'deny' as const }]
    expect(permissionEffect({ ...role([]), common: files }, 'files.read')).toEqual({
      effect: 'deny',
      source: 'everybody',
    })
  })

  test('a rule of another module or tool does not count', () => {
    const rules = [
      { subject: 'tool:mill-2.*', effect: 'deny' },
      { subject: 'tool:mill.write2', effect: 'deny' },
      { subject: 'codex.use', effect: 'deny' },
    ] as const
    expect(effectOf(role([...rules]), mill, tool).effect).toBe('ask')
    expect(withRule([...rules], own, 'allow')).toEqual([...rules, { subject: own, effect: 'allow' }])
    expect(withRule([{ subject: own, effect: 'ask' }], own, null)).toEqual([])
  })
})
