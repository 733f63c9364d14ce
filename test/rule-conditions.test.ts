import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Condition, RULE_LIMITS, RuleSpec } from '../contract/rule-conditions.ts'
import type { Effect } from '../contract/route.ts'
import { specProblem } from '../server/accounts/policy/conditions/check-spec.ts'
import { type Judged, judgeSpec } from '../server/accounts/policy/conditions/judge-spec.ts'
import { follow, readPointer, writePointer } from '../server/accounts/policy/conditions/pointer.ts'
import { isOdd } from '../server/accounts/policy/conditions/text.ts'
import type { Truth } from '../server/accounts/policy/conditions/truth.ts'
import { decide, mildest, type PolicyRole, type Question } from '../server/accounts/policy/permissions.ts'
import type { PolicyTool } from '../server/accounts/policy/policy-tool.ts'

type Args = Record<string, unknown>

const SCHEMA = {
  type: 'object',
  properties: { shell: { default: false }, seconds: { default: 60 }, deep: { properties: { mode: { default: 'a' } } } },
}
const judged = (args: Args | null): Judged => ({ args, schema: SCHEMA, realPaths: true, windows: false })
const holds = (spec: RuleSpec, args: Args | null, effect: Effect = 'allow') =>
  judgeSpec(RuleSpec.parse(spec), effect, judged(args)).holds
const value = (condition: Args, given: unknown): Truth =>
  holds({ when: [Condition.parse({ at: '/x', ...condition })] }, given === undefined ? {} : { x: given })

describe('a condition is true, false or unknown', () => {
  test.each<[Args, unknown, Truth]>([
    [{ is: 'a' }, 'a', 'true'],
    [{ is: 'a' }, 'b', 'false'],
    [{ is: 'a' }, undefined, 'unknown'],
    [{ is: 'a' }, 1, 'unknown'],
    [{ is: 'a' }, ['a'], 'unknown'],
    [{ is: 'a' }, 'A', 'unknown'],
    [{ is: 'é' }, 'é'.normalize('NFD'), 'unknown'],
    [{ is: 'a' }, 'ａ', 'unknown'],
    [{ is: 'strasse' }, 'STRASSE', 'unknown'],
    [{ is: 'a' }, 'a\u200b', 'unknown'],
    [{ is: 'a' }, 'b\0', 'unknown'],
    [{ is: 'a' }, 'a'.repeat(5000), 'unknown'],
    [{ is: false }, false, 'true'],
    [{ is: false }, true, 'false'],
    [{ is: false }, 'false', 'unknown'],
    [{ is: null }, null, 'true'],
    [{ is: null }, 'null', 'unknown'],
    [{ is: 1 }, 1, 'true'],
    [{ is: 1 }, '1', 'unknown'],
    [{ is: 9007199254740991 }, 9007199254740992, 'unknown'],
    [{ in: ['a', 'b'] }, 'b', 'true'],
    [{ in: ['a', 'b'] }, 'c', 'false'],
    [{ in: ['a', 'b'] }, 'B', 'unknown'],
    [{ min: 1, max: 5 }, 5, 'true'],
    [{ min: 1, max: 5 }, 6, 'false'],
    [{ min: 1 }, 1e300, 'unknown'],
    [{ max: 5 }, '5', 'unknown'],
    [{ under: ['/srv/www'] }, '/srv/www', 'true'],
    [{ under: ['/srv/www'] }, '/srv/www/a/b.html', 'true'],
    [{ under: ['/srv/www'] }, '/srv/www2/a', 'false'],
    [{ under: ['/srv/www'] }, '/srv', 'false'],
    [{ under: ['/srv/www'] }, '/srv/WWW/a', 'unknown'],
    [{ under: ['/srv/www'] }, '/srv/www/../../etc/passwd', 'unknown'],
    [{ under: ['/srv/www'] }, '/srv/www/./a', 'unknown'],
    [{ under: ['/srv/www'] }, '/srv//www/a', 'unknown'],
    [{ under: ['/srv/www'] }, '/srv/www/', 'unknown'],
    [{ under: ['/srv/www'] }, '/srv/www/%2e%2e/x', 'unknown'],
    [{ under: ['/srv/www'] }, '/srv/www/a\\..\\b', 'unknown'],
    [{ under: ['/srv/www'] }, 'srv/www/a', 'unknown'],
    [{ under: ['/srv/www'] }, '~/a', 'unknown'],
    [{ under: ['/srv/www'] }, '/srv/www/a\0', 'unknown'],
    [{ under: ['/'] }, '/etc', 'true'],
    [{ host: ['example.com'] }, 'https://example.com/a?b#c', 'true'],
    [{ host: ['example.com'] }, 'HTTPS://Example.COM', 'true'],
    [{ host: ['example.com'] }, 'https://www.example.com/', 'false'],
    [{ host: ['*.example.com'] }, 'https://www.example.com/', 'true'],
    [{ host: ['*.example.com'] }, 'https://example.com/', 'false'],
    [{ host: ['*.example.com'] }, 'https://evilexample.com/', 'false'],
    [{ host: ['example.com'] }, 'https://example.com:8443/', 'unknown'],
    [{ host: ['example.com:8443'] }, 'https://example.com:8443/', 'true'],
    [{ host: ['example.com:8443'] }, 'https://example.com/', 'false'],
    [{ host: ['example.com'] }, 'https://example.com@evil.test/', 'unknown'],
    [{ host: ['example.com'] }, 'https://user:pass@example.com/', 'unknown'],
    [{ host: ['example.com'] }, 'https://evil.test\\@example.com/', 'unknown'],
    [{ host: ['example.com'] }, 'https://example.com./', 'unknown'],
    [{ host: ['example.com'] }, 'https://exam\tple.com/', 'unknown'],
    [{ host: ['example.com'] }, 'https:example.com/', 'unknown'],
    [{ host: ['example.com'] }, 'https:///example.com/', 'unknown'],
    [{ host: ['example.com'] }, 'https://ｅxample.com/', 'unknown'],
    [{ host: ['example.com'] }, 'https://%65xample.com/', 'unknown'],
    [{ host: ['127.0.0.1'] }, 'http://0x7f.1/', 'unknown'],
    [{ host: ['127.0.0.1'] }, 'http://2130706433/', 'unknown'],
    [{ host: ['example.com'] }, 'ftp://example.com/', 'unknown'],
    [{ host: ['example.com'] }, 'javascript:alert(1)', 'unknown'],
    [{ each: { in: ['a', 'b'] } }, ['a', 'b', 'a'], 'true'],
    [{ each: { in: ['a', 'b'] } }, ['a', 'c'], 'false'],
    [{ each: { in: ['a', 'b'] } }, [], 'unknown'],
    [{ each: { in: ['a', 'b'] } }, 'a', 'unknown'],
    [{ each: { is: 'a' } }, Array.from({ length: 1001 }, () => 'a'), 'unknown'],
    [{ absent: true }, undefined, 'true'],
    [{ absent: true }, null, 'false'],
  ])('%j, given %j: %s', (condition, given, expected) => expect(value(condition, given)).toBe(expected))

  test('without arguments everything is unknown', () => {
    expect(holds({ when: [{ at: '/x', is: 'a' }] }, null)).toBe('unknown')
    expect(holds({ unless: [[{ at: '/x', is: 'a' }]] }, null, 'ask')).toBe('unknown')
  })

  test('what a person does not see is odd, as the tables of Unicode say, and nothing else', () => {
    const hidden = /^[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]$/u
    const wrong: string[] = []
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code)
      const assigned = !/^\p{Cn}$/u.test(character)
      if (assigned && hidden.test(character) && !isOdd(character)) wrong.push(code.toString(16))
      if (assigned && !hidden.test(character) && isOdd(character)) wrong.push(`not ${code.toString(16)}`)
    }
    // The fillers between annotations, and the sign for what cannot be shown.
    expect(wrong.filter((code) => !['not fffc', 'not fffd'].includes(code))).toEqual([])
  })

  test('pointers see own properties and items only', () => {
    const args = JSON.parse('{"a/b":{"~":[1,2]},"__proto__":{"x":1}}') as Args
    expect(follow(args, readPointer('/a~1b/~0/1')!)).toEqual({ kind: 'there', value: 2 })
    expect(follow(args, readPointer('/__proto__/x')!)).toEqual({ kind: 'there', value: 1 })
    for (const absent of ['/constructor', '/toString', '/hasOwnProperty'])
      expect(follow(args, readPointer(absent)!)).toEqual({ kind: 'absent' })
    for (const nowhere of ['/a~1b/~0/length', '/a~1b/~0/01', '/a~1b/~0/-', '/x/y', '/a~1b/~0/1/x'])
      expect(follow(args, readPointer(nowhere)!).kind).not.toBe('there')
    for (const none of ['', 'a', '/~2', '/a~', '/a/b/c/d/e/f/g/h/i']) expect(readPointer(none)).toBeNull()
    fc.assert(fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 8 }), (steps) => {
      expect(readPointer(writePointer(steps))).toEqual(steps)
    }))
  })
})

const DF: RuleSpec = {
  when: [{ argv: { program: '/command', args: '/args' }, tokens: ['df', '-h', { under: ['/srv'] }, { min: 1, max: 9 }] }],
}
const OPERANDS: RuleSpec = { when: [{ argv: { program: '/command', args: '/args' }, tokens: ['ls', { operands: true }] }] }
const run = (command: unknown, args?: unknown, more: Args = {}) => ({
  command,
  ...(args === undefined ? {} : { args }),
  shell: false,
  ...more,
})

describe('a command', () => {
  test.each<[string, Args, Truth]>([
    ['whole and exact', run('df', ['-h', '/srv/a', '3']), 'true'],
    ['one word more', run('df', ['-h', '/srv/a', '3', 'x']), 'false'],
    ['one word less', run('df', ['-h', '/srv/a']), 'false'],
    ['another program', run('./df', ['-h', '/srv/a', '3']), 'false'],
    ['a path of it', run('/usr/bin/df', ['-h', '/srv/a', '3']), 'false'],
    ['the same in capitals', run('DF', ['-h', '/srv/a', '3']), 'unknown'],
    ['a number spelled otherwise', run('df', ['-h', '/srv/a', '03']), 'unknown'],
    ['a number out of range', run('df', ['-h', '/srv/a', '10']), 'false'],
    ['minus zero', run('df', ['-h', '/srv/a', '-0']), 'unknown'],
    ['a long integer', run('df', ['-h', '/srv/a', '9007199254740993']), 'unknown'],
    ['a path that climbs', run('df', ['-h', '/srv/../etc', '3']), 'unknown'],
    ['a shell', run('df', ['-h', '/srv/a', '3'], { shell: true }), 'unknown'],
    ['no word about a shell', { command: 'df', args: ['-h', '/srv/a', '3'] }, 'unknown'],
    ['a shell in words', run('df', ['-h', '/srv/a', '3'], { shell: 'false' }), 'unknown'],
    ['a text instead of words', run('df', '-h /srv/a 3'), 'unknown'],
    ['everything in one word', run('df -h /srv/a 3'), 'false'],
    ['words that are none', run('df', ['-h', '/srv/a', 3]), 'unknown'],
  ])('%s', (_what, args, expected) => expect(holds(DF, args)).toBe(expected))

  test.each<[string, Args, Truth]>([
    ['alone', run('ls'), 'true'],
    ['with any words', run('ls', ['a', 'b']), 'true'],
    ['with an option', run('ls', ['a', '-l']), 'unknown'],
    ['with an option after --', run('ls', ['--', '-l']), 'unknown'],
    ['with an empty word', run('ls', ['']), 'unknown'],
    ['with more words than are judged', run('ls', Array.from({ length: 300 }, () => 'a')), 'unknown'],
  ])('that ends openly: %s', (_what, args, expected) => expect(holds(OPERANDS, args)).toBe(expected))

  test('on Windows a bare name could be any program', () => {
    const on = (windows: boolean, command: string) =>
      judgeSpec({ when: [{ argv: { program: '/command', args: '/args' }, tokens: [command] }] }, 'allow', {
        ...judged(run(command)),
        windows,
      }).holds
    expect([on(false, 'df'), on(true, 'df'), on(true, 'C:/bin/df.exe')]).toEqual(['true', 'unknown', 'true'])
  })

  test('of 10,000 commands only those pass that a plain comparison lets through', () => {
    const word = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('df', '-h', '/srv', '/srv/a', '3', '9') },
      fc.constantFrom('DF', './df', 'df\0', '/srv//a', '/srv/../etc', '/srv/%2e%2e', '03', '-0', '1e0', '+3', '', '-x', 'é'),
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.oneof(fc.integer(), fc.constant(null), fc.array(fc.string())),
    )
    const lists = fc.oneof(fc.array(word, { maxLength: 6 }), fc.tuple(fc.constant('-h'), word, word), fc.constant(undefined), fc.string())
    const more = fc.constantFrom<Args>({}, {}, {}, { shell: true }, { shell: 0 }, { cwd: '/' }, { stdin: 'x' }, { seconds: 61 })
    let passed = 0
    fc.assert(
      fc.property(fc.oneof(fc.constant('df'), word), lists, more, (command, list, extra) => {
        const args = run(command, list, extra)
        const plain =
          command === 'df' &&
          Array.isArray(list) &&
          list.length === 3 &&
          list[0] === '-h' &&
          (list[1] === '/srv' || (typeof list[1] === 'string' && /^(\/srv)(\/[A-Za-z0-9]+)*$/.test(list[1]))) &&
          typeof list[2] === 'string' &&
          /^[1-9]$/.test(list[2]) &&
          Object.keys(extra).length === 0
        const truth = holds(DF, args)
        if (truth === 'true') passed++
        if (plain) expect(truth).toBe('true')
        else if (truth === 'true') expect(String((list as unknown[])[1])).toMatch(/^\/srv\/[^%\\]*$/u)
      }),
      { numRuns: 10_000 },
    )
    expect(passed).toBeGreaterThan(10)
  })
})

describe('the closed world of a rule that allows', () => {
  const spec: RuleSpec = { when: [{ at: '/name', is: 'a' }, { at: '/deep/mode', in: ['a', 'b'] }], free: ['/note'] }
  test.each<[string, Args, Truth]>([
    ['named and free arguments', { name: 'a', deep: { mode: 'b' }, note: { any: ['thing'] } }, 'true'],
    ['defaults', { name: 'a', deep: { mode: 'a' }, shell: false, seconds: 60 }, 'true'],
    ['something else than a default', { name: 'a', deep: { mode: 'a' }, seconds: 61 }, 'false'],
    ['an argument that nobody thought of', { name: 'a', deep: { mode: 'a' }, force: true }, 'false'],
    ['one beside a named one', { name: 'a', deep: { mode: 'a', force: true } }, 'false'],
    ['one that is empty', { name: 'a', deep: { mode: 'a' }, options: {} }, 'false'],
    ['one with the name of a prototype', JSON.parse('{"name":"a","deep":{"mode":"a"},"__proto__":{"x":1}}') as Args, 'false'],
    ['constructor', { name: 'a', deep: { mode: 'a' }, constructor: 1 }, 'false'],
  ])('%s', (_what, args, expected) => expect(holds(spec, args)).toBe(expected))

  test('does not bind rules that ask', () => {
    expect(holds({ when: [{ at: '/name', is: 'a' }] }, { name: 'a', force: true }, 'ask')).toBe('true')
  })

  test('a path is not enough where the tool does not refuse links, if that would make the rule milder', () => {
    const when: RuleSpec = { when: [{ at: '/x', under: ['/srv'] }] }
    const unless: RuleSpec = { unless: [[{ at: '/x', each: { under: ['/srv'] } }]] }
    const without = (rule: RuleSpec, effect: Effect, x: unknown) =>
      judgeSpec(rule, effect, { ...judged({ x }), realPaths: false }).holds
    expect(without(when, 'allow', '/srv/a')).toBe('unknown')
    expect(without(when, 'deny', '/srv/a')).toBe('true')
    expect(without(unless, 'ask', ['/srv/a'])).toBe('unknown')
    expect(holds(unless, { x: ['/srv/a'] }, 'ask')).toBe('false')
  })
})

/** Ways to write the same otherwise, which must never turn a call that is not allowed into one that is. */
function mutants(text: string): string[] {
  return [
    text.toUpperCase(),
    text.toLowerCase(),
    text.normalize('NFD'),
    text.normalize('NFKC'),
    text.replaceAll('/', '//'),
    text.replaceAll('/', '/./'),
    text.replaceAll('.', '%2e'),
    `${text}\0`,
    `${text}/..`,
    `\u202e${text}`,
    ` ${text} `,
  ]
}

describe('mutants', () => {
  const SPECS: readonly [RuleSpec, readonly Args[]][] = [
    [{ when: [{ at: '/x', is: 'a.b' }] }, [{ x: 'c.d' }, { x: 0 }, { x: null }]],
    [{ when: [{ at: '/x', under: ['/srv/é'] }] }, [{ x: '/srv/../etc' }, { x: '/srv/e' }, { x: '/etc/passwd' }]],
    [{ when: [{ at: '/x', host: ['*.example.com'] }] }, [{ x: 'https://example.com/' }, { x: 'http://a.example.com.evil.test' }]],
    [{ when: [{ at: '/x', min: 1, max: 5 }] }, [{ x: 0 }, { x: 6 }, { x: 9007199254740993 }]],
    [DF, [run('df', ['-h', '/etc', '3']), run('rm', ['-rf', '/srv/a', '3']), run('sh', ['-c', 'df'])]],
  ]
  test('of an example that does not match never pass', () => {
    for (const [spec, examples] of SPECS)
      for (const example of examples) {
        const text = JSON.stringify(example)
        const others = [
          example,
          JSON.parse(text, (_key, one: unknown) => (one === 0 ? -0 : one)) as Args,
          JSON.parse(text.replace('{', '{"__proto__":{"x":"a.b"},')) as Args,
          { ...example, x: JSON.parse('900719925474099300000') as unknown },
          ...mutants('x').map((_, i) => JSON.parse(text, (_key, one: unknown) => (typeof one === 'string' ? mutants(one)[i] : one)) as Args),
        ]
        for (const one of others) expect([spec, one, holds(spec, one)]).not.toEqual([spec, one, 'true'])
      }
  })
})

describe('rules together', () => {
  const schema = { properties: { p: { default: 'd' } } }
  const tool: PolicyTool = {
    module: 'a',
    name: 'x',
    effect: 'write',
    builtin: true,
    reach: 'machine',
    agreed: true,
    definition: { definition_hash: 'h', input_schema: schema, real_paths: true, fill: (input) => ({ p: 'd', ...input }) },
  }
  const texts = fc.constantFrom('a', 'A', 'b', 'd', '/srv/a', '/srv/../a', 'https://x.test/', 'b\u200b')
  const values = fc.oneof(texts, fc.constantFrom<unknown>(1, 2, 9007199254740993, true, null), fc.array(texts, { maxLength: 2 }))
  const tests = fc.constantFrom<Args>({ is: 'a' }, { in: ['a', 'b', 1] }, { min: 1, max: 1 }, { under: ['/srv'] }, { host: ['x.test'] }, { absent: true }, { each: { is: 'a' } })
  const conditions = fc.tuple(fc.constantFrom('/p', '/q'), tests).map(([at, one]) => Condition.parse({ at, ...one }))
  const groups = fc.array(conditions, { minLength: 1, maxLength: 2 })
  const note = fc.constantFrom({}, { note: 'why' })
  const strict = fc.record({ subject: fc.constantFrom('tool:a.x', 'tool:a.*'), effect: fc.constantFrom('ask' as const, 'deny' as const) })
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

  test('one more rule that asks or denies, whatever it looks at, never weakens what rules decide', () => {
    fc.assert(
      fc.property(rules, fc.oneof(strict, conditional), calls, fc.boolean(), (list, added, args, admin) => {
        const before = decide(role(list, [], admin), null, asked(args))
        // A first rule about a tool that is denied by default is how an administrator lets people ask.
        const byDefault = before.trace.some((step) => step.step === 'default' && step.effect === 'deny')
        if (!byDefault) expect(effect(role([...list, added], [], admin), args)).toBeGreaterThanOrEqual(SEVERITY[before.effect])
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
    const basis = (spec: object) => decide(role([{ subject: 'tool:a.x', effect: 'ask', ...spec }]), null, asked({ p: 'a' })).basis
    const one = basis({ when: [{ at: '/p', is: 'a' }] })
    expect(one).toBe(basis({ when: [{ at: '/p', is: 'a' }] }))
    expect(one).not.toBe(basis({}))
    expect(one).not.toBe(basis({ when: [{ at: '/p', in: ['a', 'b'] }] }))
    expect(one).not.toBe(basis({ when: [{ at: '/p', is: 'a' }], note: 'Because.' }))
  })

  test('a rule whose examples no longer come out as they say allows nothing; one that denies does', () => {
    const examples = { match: [{ p: 'a' }], no_match: [{ p: 'b' }] }
    const rule = { subject: 'tool:a.x', effect: 'allow' as const, when: [{ at: '/p', is: 'a' }], examples }
    const changed = { ...tool, definition: { ...tool.definition!, definition_hash: 'i', fill: (input: Args) => ({ ...input, q: 1 }) } }
    const decided = (list: PolicyRole['rules'], judgedTool: PolicyTool) =>
      decide(role(list), null, { kind: 'tool', tool: judgedTool, argumentsLength: 0, args: { p: 'a' } })
    expect(decided([rule], tool).effect).toBe('allow')
    expect(decided([rule], changed)).toMatchObject({ effect: 'deny', trace: [{}, { matched: false, effect: 'allow' }, {}, {}, {}, {}, {}] })
    expect(decided([{ ...rule, effect: 'ask' }], changed).effect).toBe('ask')
  })
})

describe('a rule is checked when it is saved', () => {
  const examples = { match: [{}], no_match: [{}] }
  const argv = (...tokens: unknown[]) => ({ when: [{ argv: { program: '/command', args: '/args' }, tokens }], examples })
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
    ['too many conditions', { unless: Array.from({ length: 17 }, () => [{ at: '/x', is: 'a' }, { at: '/x', is: 'b' }]) }, 'ask'],
    ['too many characters', { when: [{ at: '/x', in: Array.from({ length: 50 }, (_, i) => `${i}`.repeat(500).slice(0, 900)) }] }, 'ask'],
    ['an example that is too deep', { when: [{ at: '/x', is: 'a' }], examples: { match: [JSON.parse('{"a":'.repeat(200) + '1' + '}'.repeat(200))], no_match: [] } }, 'ask'],
  ])('%s', (_what, spec, effect) => expect(specProblem(RuleSpec.parse(spec), effect, 'tool')).not.toBeNull())

  test.each<[object, Effect]>([
    [argv('df', { operands: true }), 'allow'],
    [argv('git', 'status'), 'allow'],
    [{ ...argv('sudo', { operands: true }), examples: undefined }, 'deny'],
    [{ note: 'Why' }, 'allow'],
    [{ free: ['/x'], examples }, 'allow'],
  ])('%j is fine', (spec, effect) => expect(specProblem(RuleSpec.parse(spec), effect, 'tool')).toBeNull())

  test('a permission has no arguments, and what allows is about one tool', () => {
    const spec = RuleSpec.parse({ when: [{ at: '/x', is: 'a' }], examples })
    expect(specProblem(spec, 'ask', 'permission')).not.toBeNull()
    expect(specProblem(spec, 'allow', 'module')).not.toBeNull()
  })

  test.each(['approvers', 'every_time', 'even_untrusted', 'regex'])('%s is no part of a rule yet', (name) => {
    expect(RuleSpec.safeParse({ [name]: true }).success).toBe(false)
  })

  test('lists have limits', () => {
    const of = (length: number) => ({ when: [{ at: '/x', in: Array.from({ length }, () => 'a') }] })
    expect(RuleSpec.safeParse(of(RULE_LIMITS.values)).success).toBe(true)
    expect(RuleSpec.safeParse(of(RULE_LIMITS.values + 1)).success).toBe(false)
    expect(RuleSpec.safeParse(argv('a', ...Array.from({ length: RULE_LIMITS.tokens }, () => 'b'))).success).toBe(false)
  })
})
