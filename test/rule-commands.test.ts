import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RuleSpec } from '../contract/rule-conditions.ts'
import type { Effect } from '../contract/route.ts'
import { type Judged, judgeSpec } from '../server/accounts/policy/conditions/judge-spec.ts'
import type { Truth } from '../server/accounts/policy/conditions/truth.ts'

type Args = Record<string, unknown>
/** One more than can be told from its neighbours. */
const LONG = JSON.parse('9007199254740993') as number

const SCHEMA = {
  type: 'object',
  properties: { shell: { default: false }, seconds: { default: 60 }, deep: { properties: { mode: { default: 'a' } } } },
}
const judged = (args: Args | null): Judged => ({ args, schema: SCHEMA, realPaths: true, windows: false })
const holds = (spec: RuleSpec, args: Args | null, effect: Effect = 'allow') =>
  judgeSpec(RuleSpec.parse(spec), effect, judged(args)).holds

const DF: RuleSpec = {
  when: [
    { argv: { program: '/command', args: '/args' }, tokens: ['df', '-h', { under: ['/srv'] }, { min: 1, max: 9 }] },
  ],
}
const OPERANDS: RuleSpec = {
  when: [{ argv: { program: '/command', args: '/args' }, tokens: ['ls', { operands: true }] }],
}
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
    [
      'with more words than are judged',
      run(
        'ls',
        Array.from({ length: 300 }, () => 'a'),
      ),
      'unknown',
    ],
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
      fc.constantFrom(
        'DF',
        './df',
        'df\0',
        '/srv//a',
        '/srv/../etc',
        '/srv/%2e%2e',
        '03',
        '-0',
        '1e0',
        '+3',
        '',
        '-x',
        'é',
      ),
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.oneof(fc.integer(), fc.constant(null), fc.array(fc.string())),
    )
    const lists = fc.oneof(
      fc.array(word, { maxLength: 6 }),
      fc.tuple(fc.constant('-h'), word, word),
      fc.tuple(fc.constant('-h'), fc.constantFrom('/srv', '/srv/a', '/srv//a'), fc.constantFrom('3', '9', '03')),
      fc.constant(undefined),
      fc.string(),
    )
    const more = fc.constantFrom<Args>(
      {},
      {},
      {},
      { shell: true },
      { shell: 0 },
      { cwd: '/' },
      { stdin: 'x' },
      { seconds: 61 },
    )
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
  const spec: RuleSpec = {
    when: [
      { at: '/name', is: 'a' },
      { at: '/deep/mode', in: ['a', 'b'] },
    ],
    free: ['/note'],
  }
  test.each<[string, Args, Truth]>([
    ['named and free arguments', { name: 'a', deep: { mode: 'b' }, note: { any: ['thing'] } }, 'true'],
    ['defaults', { name: 'a', deep: { mode: 'a' }, shell: false, seconds: 60 }, 'true'],
    ['something else than a default', { name: 'a', deep: { mode: 'a' }, seconds: 61 }, 'false'],
    ['an argument that nobody thought of', { name: 'a', deep: { mode: 'a' }, force: true }, 'false'],
    ['one beside a named one', { name: 'a', deep: { mode: 'a', force: true } }, 'false'],
    ['one that is empty', { name: 'a', deep: { mode: 'a' }, options: {} }, 'false'],
    [
      'one with the name of a prototype',
      JSON.parse('{"name":"a","deep":{"mode":"a"},"__proto__":{"x":1}}') as Args,
      'false',
    ],
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
    [
      { when: [{ at: '/x', host: ['*.example.com'] }] },
      [{ x: 'https://example.com/' }, { x: 'http://a.example.com.evil.test' }],
    ],
    [{ when: [{ at: '/x', min: 1, max: 5 }] }, [{ x: 0 }, { x: 6 }, { x: LONG }]],
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
          ...mutants('x').map(
            (_, i) =>
              JSON.parse(text, (_key, one: unknown) => (typeof one === 'string' ? mutants(one)[i] : one)) as Args,
          ),
        ]
        for (const one of others) expect([spec, one, holds(spec, one)]).not.toEqual([spec, one, 'true'])
      }
  })
})
