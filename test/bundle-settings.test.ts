import { describe, expect, test } from 'vitest'
import type { SettingValue } from '../contract/modules.ts'
import { checkSettings, matchesPattern } from '../server/modules/bundle/settings/check-settings.ts'
import { missingSettings } from '../server/modules/bundle/settings/missing-settings.ts'
import { patternProblem } from '../server/modules/bundle/settings/pattern-problem.ts'
import { settingFields } from '../server/modules/bundle/settings/setting-fields.ts'
import { manifestOf } from './stage/modules/bundle-stage.ts'
import { saying } from './stage/saying.ts'

const option = (type: string, more: object = {}) => ({
  type,
  title: `The ${type}`,
  description: 'What it is for',
  ...more,
})
const MANIFEST = manifestOf({
  user_config: {
    text: option('string'),
    zone: option('string', { default: 'eu' }),
    note: option('string'),
    seconds: option('number', { min: 1, max: 60, default: '5' }),
    on: option('boolean', { default: true }),
    folder: option('directory', { required: true }),
    folders: option('directory', { multiple: true, default: [] }),
    file: option('file', { default: '${HOME}/x' }),
    token: option('string', { sensitive: true, required: true }),
    filled: option('string', { required: true, default: 'x' }),
  },
  _meta: {
    'dev.reeve': {
      settings: {
        zone: { enum: ['eu', { value: 'us', label: 'United\u202e States' }], order: 1, group: 'Place' },
        note: { multiline: true, order: 2 },
        text: { pattern: '[a-z]{2,4}' },
        seconds: { unit: 'seconds' },
      },
    },
  },
})
const FIELDS = settingFields(MANIFEST, { bundleFolder: '/bundle', home: '/home/me' })

test('fields come from the manifest and what it says to Reeve, in order', () => {
  expect(FIELDS.map(({ key }) => key)).toEqual([
    'zone',
    'note',
    'text',
    'seconds',
    'on',
    'folder',
    'folders',
    'file',
    'token',
    'filled',
  ])
  const field = (key: string) => FIELDS.find((each) => each.key === key)
  expect(field('zone')).toEqual({
    key: 'zone',
    type: 'string',
    title: 'The string',
    description: 'What it is for',
    required: false,
    sensitive: false,
    multiple: false,
    multiline: false,
    group: 'Place',
    default: 'eu',
    enum: [
      {
        value: 'eu',
        label: 'eu',
      },
      {
        value: 'us',
        label: 'United\\u{202e} States',
      },
    ],
  })
  expect(field('seconds')).toMatchObject({ title: 'The number (seconds)', min: 1, max: 60, default: 5 })
  expect(field('file')).toMatchObject({ default: '/home/me/x' })
  expect(field('folders')).not.toHaveProperty('default')
  expect(field('token')).toMatchObject({ sensitive: true, required: true })
  expect(settingFields(MANIFEST).find(({ key }) => key === 'file')).toMatchObject({ default: '${HOME}/x' })
  expect(settingFields(manifestOf())).toEqual([])
})

describe('a value', () => {
  test.each<[string, SettingValue]>([
    ['text', 'abcd'],
    ['text', ''],
    ['zone', 'us'],
    ['note', 'two\nlines\tand a tab'],
    ['seconds', 60],
    ['on', false],
    ['folder', '/srv/data'],
    ['folders', ['/srv/a', '/srv/b']],
    ['folders', []],
    ['token', 'pa$$wo$&rd ${HOME}'],
  ])('of %s may be %j', (key, value) => expect(checkSettings(FIELDS, { [key]: value })).toEqual([]))

  test.each<[string, SettingValue, RegExp]>([
    ['text', 'abcde', /form/],
    ['text', 'xabcdx'.repeat(2), /form/],
    ['text', 5, /be a text/],
    ['text', ['a'], /be a text/],
    ['text', 'a'.repeat(10_001), /10000/],
    ['token', 'a\nb', /line breaks/],
    ['token', 'a\0b', /cannot be passed/],
    ['token', '\ud800', /cannot be passed/],
    ['note', 'a\x1bb', /control/],
    ['zone', 'asia', /one of: eu/],
    ['seconds', 0, /1 or more/],
    ['seconds', 61, /60 or less/],
    ['seconds', '5', /be a number/],
    ['seconds', Number.NaN, /be a number/],
    ['seconds', Number.POSITIVE_INFINITY, /be a number/],
    ['on', 'true', /true or false/],
    ['folder', 'srv/data', /absolute/],
    ['folder', '~/data', /absolute/],
    ['folder', '/srv/../etc', /\.\./],
    ['folder', '/srv/a\0', /cannot be passed/],
    ['folder', `/${'a'.repeat(5000)}`, /4096/],
    ['folders', '/srv', /a list/],
    ['folders', ['/srv', 'x'], /absolute/],
    ['folders', ['/srv', ''], /empty entry/],
    ['folders', Array.from({ length: 101 }, () => '/srv'), /100 entries/],
    ['unknown', 'x', /no such setting/],
    ['constructor', 'x', /no such setting/],
    ['__proto__', 'x', /no such setting/],
  ])('of %s may not be %j', (key, value, reason) => {
    const values = Object.fromEntries([[key, value]])
    expect(checkSettings(FIELDS, values)).toEqual([{ path: key, message: saying(reason) }])
  })
})

test('missing are required settings with neither value nor default', () => {
  const keys = (values: Record<string, SettingValue>) => missingSettings(FIELDS, values).map(({ key }) => key)
  expect(keys({})).toEqual(['folder', 'token'])
  expect(keys({ folder: '', token: 'x' })).toEqual(['folder'])
  expect(keys({ folder: '/srv', token: 'x' })).toEqual([])
})

describe('a pattern', () => {
  test.each([
    '[a-z]+',
    '\\d{1,3}(\\.\\d{1,3}){3}',
    '(foo|bar)+',
    '(?:a|b){2,3}c*',
    'a+b+',
    '[(+]+',
    '\\(a+\\)+',
    '(ab)?',
    '(a+)?',
    '(?<name>x)',
  ])('%s may be used', (pattern) => expect(patternProblem(pattern)).toBeNull())
  test.each([
    ['(a+)+', /repeats/],
    ['(a*)*b', /repeats/],
    ['((a+))+', /repeats/],
    ['(x(a+)?)*', /repeats/],
    ['(?:[a-z]+\\.)+', /repeats/],
    ['([a-z]+){1,20}', /repeats/],
    ['(a{2,})+', /repeats/],
    ['(a+)\\1', /refers back/],
    ['(?<n>a)\\k<n>', /refers back/],
    ['(', /valid regular expression/],
    [')|(', /valid regular expression/],
    ['\\', /valid regular expression/],
    ['a'.repeat(501), /500/],
  ])('%s may not', (pattern, reason) => expect(String(patternProblem(pattern))).toMatch(reason))

  test('cannot hold the process up, even one that slipped through', () => {
    const start = performance.now()
    expect(matchesPattern('(a|a)*b', 'a'.repeat(10_000))).toBe(false)
    expect(matchesPattern('a*a*a*a*a*a*b', 'a'.repeat(10_000))).toBe(false)
    expect(performance.now() - start).toBeLessThan(15_000)
    expect(matchesPattern('a|b', 'ab')).toBe(false)
    expect(matchesPattern('a|b', 'b')).toBe(true)
  })
})
