import { describe, expect, test } from 'vitest'
import { RuleSpec } from '../contract/rule-conditions.ts'
import { RULE_LIMITS } from '../contract/rule-limits.ts'
import type { Effect } from '../contract/route.ts'
import { specProblem } from '../server/accounts/policy/conditions/check-spec.ts'

describe('a rule is checked when it is saved', () => {
  const examples = { match: [{}], no_match: [{}] }
  const argv = (...tokens: unknown[]) => ({
    when: [{ argv: { program: '/command', args: '/args' }, tokens }],
    examples,
  })
  test.each<[string, object, Effect]>([
    ['no examples', { when: [{ at: '/x', is: 'a' }] }, 'allow'],
    ['only one kind of example', { when: [{ at: '/x', is: 'a' }], examples: { match: [{}], no_match: [] } }, 'allow'],
    ['examples without conditions', { examples }, 'ask'],
    ['an exception that allows', { unless: [[{ at: '/x', is: 'a' }]], examples }, 'allow'],
    ['free arguments of a rule that asks', { free: ['/x'] }, 'ask'],
    ['a pointer that is none', { when: [{ at: '/~', is: 'a' }] }, 'ask'],
    ['text that nobody sees', { when: [{ at: '/x', is: 'a\u200b' }] }, 'ask'],
    ['a number that is not exact', { when: [{ at: '/x', is: 2 ** 60 }] }, 'ask'],
    ['a range without ends', { when: [{ at: '/x' }] }, 'ask'],
    ['a folder that climbs', { when: [{ at: '/x', under: ['/a/..'] }] }, 'ask'],
    ['a host in capitals', { when: [{ at: '/x', host: ['Example.com'] }] }, 'ask'],
    ['a host with a path', { when: [{ at: '/x', host: ['example.com/a'] }] }, 'ask'],
    ['a host with a usual port', { when: [{ at: '/x', host: ['example.com:443'] }] }, 'ask'],
    ['any program', argv({ any: true }), 'ask'],
    ['open words in the middle', argv('df', { operands: true }, 'x'), 'ask'],
    ['open words behind a shell', argv('/bin/sh', '-c', { any: true }), 'allow'],
    ['open words behind a version of one', argv('python3.13', { operands: true }), 'allow'],
    ['open words behind one of several', argv({ in: ['df', 'env'] }, { operands: true }), 'allow'],
    ['open words behind sudo, excepted', { unless: [argv('sudo', { operands: true }).when] }, 'ask'],
    [
      'too many conditions',
      {
        unless: Array.from({ length: 17 }, () => [
          { at: '/x', is: 'a' },
          { at: '/x', is: 'b' },
        ]),
      },
      'ask',
    ],
    [
      'too many characters',
      { when: [{ at: '/x', in: Array.from({ length: 50 }, (_, i) => `${i}`.repeat(500).slice(0, 900)) }] },
      'ask',
    ],
    [
      'an example that is too deep',
      {
        when: [{ at: '/x', is: 'a' }],
        examples: { match: [JSON.parse('{"a":'.repeat(200) + '1' + '}'.repeat(200))], no_match: [] },
      },
      'ask',
    ],
    ['asking every time, where it does not ask', { every_time: true }, 'deny'],
    ['trust in the untrusted, where it does not allow', { even_untrusted: true }, 'ask'],
  ])('%s', (_what, spec, effect) => expect(specProblem(RuleSpec.parse(spec), effect, 'tool')).not.toBeNull())

  test.each<[object, Effect]>([
    [argv('df', { operands: true }), 'allow'],
    [argv('git', 'status'), 'allow'],
    [{ ...argv('sudo', { operands: true }), examples: undefined }, 'deny'],
    [{ note: 'Why' }, 'allow'],
    [{ free: ['/x'], examples }, 'allow'],
    [{ every_time: true }, 'ask'],
    [{ even_untrusted: true }, 'allow'],
  ])('%j is fine', (spec, effect) => expect(specProblem(RuleSpec.parse(spec), effect, 'tool')).toBeNull())

  test('a permission has no arguments, and what allows is about one tool', () => {
    const spec = RuleSpec.parse({ when: [{ at: '/x', is: 'a' }], examples })
    expect(specProblem(spec, 'ask', 'permission')).not.toBeNull()
    expect(specProblem(spec, 'allow', 'module')).not.toBeNull()
  })

  test.each(['approvers', 'regex'])('%s is no part of a rule yet', (name) => {
    expect(RuleSpec.safeParse({ [name]: true }).success).toBe(false)
  })

  test('lists have limits', () => {
    const of = (length: number) => ({ when: [{ at: '/x', in: Array.from({ length }, () => 'a') }] })
    expect(RuleSpec.safeParse(of(RULE_LIMITS.values)).success).toBe(true)
    expect(RuleSpec.safeParse(of(RULE_LIMITS.values + 1)).success).toBe(false)
    expect(RuleSpec.safeParse(argv('a', ...Array.from({ length: RULE_LIMITS.tokens }, () => 'b'))).success).toBe(false)
  })
})
