import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Condition, RuleSpec } from '../contract/rule-conditions.ts'
import type { Effect } from '../contract/route.ts'
import { type Judged, judgeSpec } from '../server/accounts/policy/conditions/judge-spec.ts'
import { follow, readPointer, writePointer } from '../server/accounts/policy/conditions/pointer.ts'
import { isOdd } from '../server/accounts/policy/conditions/text.ts'
import type { Truth } from '../server/accounts/policy/conditions/truth.ts'

type Args = Record<string, unknown>

const holds = (spec: RuleSpec, args: Args | null, effect: Effect = 'allow') =>
  judgeSpec(RuleSpec.parse(spec), effect, { args, schema: {}, realPaths: true, windows: false } satisfies Judged).holds
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
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 8 }), (steps) => {
        expect(readPointer(writePointer(steps))).toEqual(steps)
      }),
    )
  })
})
