import { describe, expect, test } from 'vitest'
import { effectOf, ruleOf, ruleSubject, withRule } from './tool-rules.ts'

const tool = { name: 'write', effect: 'write', pin: 'agreed' } as const
const own = ruleSubject('mill', 'write')
const all = ruleSubject('mill', null)

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
      expect(effectOf([...rules], 'mill', false, tool)).toEqual({ effect: 'deny', source: 'module_rule' })
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
    expect(effectOf([], 'system', true, reads)).toEqual({ effect: 'allow', source: 'default_read' })
    expect(effectOf([], 'mill', false, reads)).toEqual({ effect: 'ask', source: 'default' })
    expect(effectOf([], 'system', true, tool)).toEqual({ effect: 'ask', source: 'default' })
  })

  test('allowing is never enough for what nobody knows or agreed to', () => {
    const rules = [{ subject: own, effect: 'allow' } as const]
    expect(effectOf(rules, 'mill', false, tool)).toEqual({ effect: 'allow', source: 'tool_rule' })
    expect(effectOf(rules, 'mill', false, { ...tool, pin: 'changed' }).source).toBe('not_agreed')
    expect(effectOf(rules, 'mill', false, { ...tool, effect: 'unknown' }).source).toBe('unknown_effect')
  })

  test('a rule of another module or tool does not count', () => {
    const rules = [
      { subject: 'tool:mill-2.*', effect: 'deny' },
      { subject: 'tool:mill.write2', effect: 'deny' },
      { subject: 'codex.use', effect: 'deny' },
    ] as const
    expect(effectOf([...rules], 'mill', false, tool).effect).toBe('ask')
    expect(withRule([...rules], own, 'allow')).toEqual([...rules, { subject: own, effect: 'allow' }])
    expect(withRule([{ subject: own, effect: 'ask' }], own, null)).toEqual([])
  })
})
