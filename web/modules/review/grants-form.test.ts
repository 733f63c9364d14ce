import { expect, test } from 'vitest'
import { grantsForm, grantsOf, reachesMore, sameGrants } from './grants-form.ts'
import { extrasForm, extrasOf } from './extras-form.ts'
import type { SettingField } from '../../../contract/modules.ts'
import { hostInWords, hostOf, mayNameHost, withLine } from './setting-hosts.ts'
import { namedFolders } from './named-folders.ts'
import { ownGrants } from './own-grants.ts'

const none = { network: 'none' as const, folders: [], commands: [] }
const some = {
  network: ['a.example', '*.b.example'],
  folders: [
    { path: '/a', write: true },
    { path: '/b', write: false },
  ],
  commands: ['git'],
}

test('what is granted comes through the form unchanged', () => {
  for (const grants of [none, some, { ...none, network: 'any' as const }, { ...some, helpers: true }])
    expect(grantsOf(grantsForm(grants))).toEqual(grants)
})

test('empty lines, doubles and hosts without a host are left out', () => {
  const form = {
    network: 'hosts' as const,
    hosts: ' \n',
    folders: [{ path: ' ', write: true }],
    commands: 'git\n git, jq',
    helpers: false,
  }
  expect(grantsOf(form)).toEqual({ network: 'none', folders: [], commands: ['git', 'jq'] })
})

test('tells whether more is asked for than is given', () => {
  expect(reachesMore(some, some)).toBe(false)
  expect(reachesMore(none, some)).toBe(false)
  expect(reachesMore(some, none)).toBe(true)
  expect(reachesMore({ ...none, network: 'any' }, some)).toBe(true)
  expect(reachesMore({ ...none, folders: [{ path: '/b', write: true }] }, some)).toBe(true)
  expect(reachesMore({ ...none, folders: [{ path: '/a', write: false }] }, some)).toBe(false)
  expect(reachesMore({ ...none, helpers: true }, some)).toBe(true)
  expect(sameGrants(some, { ...some, helpers: true })).toBe(false)
  expect(sameGrants(some, { ...some, folders: some.folders.toReversed() })).toBe(true)
})

test('folders that only the settings name are no grants', () => {
  const field = { key: 'dir', type: 'directory', title: '', description: '', required: false, sensitive: false }
  const settings = {
    fields: [{ ...field, type: 'directory' as const, multiple: true, multiline: false }],
    values: { dir: ['/a'] },
  }
  expect(ownGrants(some, settings, null).folders).toEqual([{ path: '/b', write: false }])
  expect(ownGrants(some, undefined, null)).toEqual(some)
})

test('settings that may name a host are told by their names and defaults', () => {
  const field = { description: '', required: false, sensitive: false, multiple: false, multiline: false }
  const may = (key: string, more: Partial<SettingField> = {}) =>
    mayNameHost({ ...field, key, type: 'string', title: '', ...more })
  expect([may('API_URL'), may('x', { title: 'Server' }), may('x', { default: 'https://a.example' })]).toEqual([
    true,
    true,
    true,
  ])
  expect([may('token'), may('hosts', { type: 'number' })]).toEqual([false, false])
  expect(withLine('a.example\n', hostOf('url'))).toBe('a.example\n${user_config.url}')
  expect(hostInWords(`private:${hostOf('url')}:80`, (key) => `<${key}>`)).toBe('private:<url>:80')
})

test('what is added to a launch comes through the form unchanged', () => {
  expect(extrasOf({ args: '--a\n\ntwo words\n', env: 'KEPT\nNEW= a=b \n' })).toEqual({
    args: ['--a', 'two words'],
    env: [{ name: 'KEPT' }, { name: 'NEW', value: ' a=b ' }],
  })
  expect(extrasForm({ args: ['--a'], env: ['KEPT'] })).toEqual({ args: '--a', env: 'KEPT' })
})

test('folders that arguments name are offered until one that holds them is given', () => {
  const args = [
    '/srv/data/',
    '--root=/var/lib/x',
    '-v',
    'relative/path',
    '${__dirname}/index.js',
    'https://a.example/b',
    '/',
    '/srv/data',
  ]
  expect(namedFolders(args, [])).toEqual(['/srv/data', '/var/lib/x'])
  expect(namedFolders(args, [{ path: '/srv' }])).toEqual(['/var/lib/x'])
  expect(namedFolders(args, [{ path: ' /srv/data/ ' }, { path: '/var/lib/x' }])).toEqual([])
  expect(namedFolders(args, [{ path: '/srv/dat' }, { path: '' }])).toEqual(['/srv/data', '/var/lib/x'])
  expect(
    namedFolders(
      Array.from({ length: 9 }, (_, n) => `/a${n}`),
      [],
    ),
  ).toHaveLength(5)
})
