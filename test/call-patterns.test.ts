import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callsLike, coversCall } from '../server/accounts/policy/call-patterns.ts'
import type { Tool, ToolEffect } from '../server/chat/ports/tools.ts'
import { canonicalJson } from '../server/kernel/text/canonical.ts'

type Args = Record<string, unknown>

const tool = (effect: ToolEffect, main_argument: string | null = null, real_paths = true) =>
  ({
    effect,
    main_argument,
    real_paths,
    definition_hash: 'h',
    input_schema: { properties: { path: {}, text: {}, count: {}, deep: {}, shell: { default: false } } },
    fill: (input: Args) => input,
  }) as unknown as Tool

describe('calls like one', () => {
  const texts = fc.constantFrom(
    'a',
    '/srv/x/a.txt',
    '/srv/../a',
    'https://x.test/a',
    'https://x.test:1/',
    'b\u200b',
    '',
  )
  const plain = fc.oneof(texts, fc.constantFrom<unknown>(0, 3, -2, 1.5, 2 ** 60, true, null))
  const values = fc.oneof(
    plain,
    fc.array(plain, { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('k', '__proto__'), plain),
  )
  const names = fc.constantFrom('path', 'text', 'count', 'deep', 'shell', 'next', '~1/')
  const calls = fc.dictionary(names, values, { maxKeys: 4 })
  const effects = fc.constantFrom<ToolEffect>('read', 'write', 'destructive', 'unknown')
  const mains = fc.constantFrom(null, 'path', 'gone')

  test('each covers its own call, and nothing in which more than it says is another', () => {
    fc.assert(
      fc.property(effects, mains, calls, names, values, (effect, main, args, name, value) => {
        const of = tool(effect, main)
        const patterns = callsLike(of, args)
        expect(patterns.length).toBeLessThanOrEqual(2)
        for (const pattern of patterns) {
          expect(coversCall(of, pattern, args)).toBe(true)
          const { loosened } = pattern
          const may = loosened.kind === 'any' ? loosened.arguments : [loosened.argument]
          const other = { ...args, [name]: value }
          const same = canonicalJson(args[name] ?? null) === canonicalJson(value) && Object.hasOwn(args, name)
          const byDefault = name === 'shell' && value === false
          if (!may.includes(name) && !same && !byDefault) expect(coversCall(of, pattern, other)).toBe(false)
        }
      }),
      { numRuns: 5000 },
    )
  })

  test.each<[string, ToolEffect, Args, unknown]>([
    ['a folder', 'destructive', { path: '/srv/x/a' }, { kind: 'folder', argument: 'path', folder: '/srv/x' }],
    ['a host', 'unknown', { path: 'https://x.test/a?b' }, { kind: 'host', argument: 'path', host: 'x.test' }],
    ['a number', 'write', { path: 'a', count: 3 }, { kind: 'range', argument: 'count', min: 0, max: 3 }],
    ['the content', 'write', { path: 'a', text: 'b' }, { kind: 'any', arguments: ['text'] }],
  ])('%s may be another', (_what, effect, args, loosened) =>
    expect(callsLike(tool(effect), args).map((pattern) => pattern.loosened)).toEqual([loosened]),
  )

  test.each<[string, Tool, Args]>([
    ['a number, where something may be deleted', tool('destructive'), { count: 3 }],
    ['a folder, where links may lead out of it', tool('destructive', null, false), { path: '/srv/x/a' }],
    ['the folder that holds everything', tool('destructive'), { path: '/a' }],
    ['an address with a name in it', tool('destructive'), { path: 'https://me@x.test/' }],
    ['content, and nothing beside it', tool('write'), { text: 'b' }],
    ['what no condition can say', tool('destructive'), { path: '/srv/x/a', deep: [] }],
    ['a text that is too long for a condition', tool('destructive'), { path: '/srv/x/a', text: 'x'.repeat(2000) }],
  ])('not %s', (_what, of, args) => expect(callsLike(of, args)).toEqual([]))
})
