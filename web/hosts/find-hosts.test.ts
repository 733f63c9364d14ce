import { expect, test } from 'vitest'
import { conditionOf, EVERY_MACHINE, findHosts, hostWords, placeOf, tagsOf } from './find-hosts.ts'
import type { Host } from './hosts-query.ts'

function host(name: string, more: Partial<Host> = {}): Host {
  return {
    host_id: `hst_${name}`,
    name,
    address: `${name}.example`,
    port: 22,
    account: 'reeve-op',
    jump_host_id: null,
    tags: [],
    disabled: false,
    pinned: null,
    state: 'ok',
    problem: null,
    offered: null,
    latency_ms: 4,
    facts: null,
    checked_at: null,
    created_at: '2026-01-01T00:00:00.000Z',
    ...more,
  }
}

const WEB = host('web-1', { tags: ['web', 'berlin'] })
const DB = host('db-1', { tags: ['berlin'], state: 'unreachable' })
const OLD = host('old', { disabled: true })
const NEW = host('new', { state: null, address: '2001:db8::7', port: 2222 })
const ALL = [WEB, DB, OLD, NEW]

const names = (search: Partial<typeof EVERY_MACHINE>) =>
  findHosts(ALL, { ...EVERY_MACHINE, ...search }).map(({ name }) => name)

test('machines are found by all words in name, address and tags, by condition and by tag', () => {
  expect(names({})).toEqual(['web-1', 'db-1', 'old', 'new'])
  expect(names({ q: 'BERLIN web' })).toEqual(['web-1'])
  expect(names({ q: '#berlin' })).toEqual(['web-1', 'db-1'])
  expect(names({ q: 'db8' })).toEqual(['new'])
  expect(names({ tag: 'berlin', state: 'unreachable' })).toEqual(['db-1'])
  expect(names({ state: 'disabled' })).toEqual(['old'])
  expect(names({ tag: 'web', q: 'old' })).toEqual([])
})

test('a machine that is switched off is that before anything else, and one that nobody looked at is so', () => {
  expect(ALL.map(conditionOf)).toEqual(['ok', 'unreachable', 'disabled', 'unchecked'])
})

test('an address has its port only where that is unusual, and every tag is listed once', () => {
  expect(ALL.map(placeOf)).toEqual(['web-1.example', 'db-1.example', 'old.example', '[2001:db8::7]:2222'])
  expect(placeOf(host('here', { address: null, port: null }))).toBe('')
  expect(tagsOf(ALL)).toEqual(['berlin', 'web'])
})

test('after host= stand the machines that calls can use, and with several of them tags and all', () => {
  expect(hostWords(ALL)).toEqual(['web-1', 'db-1', 'new', '#berlin', '#web', '#all'])
  expect(hostWords([WEB, OLD])).toEqual(['web-1'])
  expect(hostWords([])).toEqual([])
})
