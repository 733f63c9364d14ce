import { expect, test } from 'vitest'
import type { ModuleEntry } from '../../../contract/modules.ts'
import { findModules } from './find-modules.ts'
import { slugOf } from './slug-of.ts'

function entry(name: string, more: Partial<ModuleEntry> = {}): ModuleEntry {
  return {
    name,
    display_name: name,
    version: '1.0.0',
    kind: 'bundle',
    builtin: false,
    reach: 'machine',
    state: 'running',
    problem: null,
    description: '',
    icon_url: null,
    tools_count: 1,
    changed_tools: 0,
    isolation: { level: 'isolated', reason: '' },
    ...more,
  }
}
const modules = [
  entry('zebra', { description: 'Bücher und Écrits', changed_at: '2026-03-19T12:00:00Z' }),
  entry('apple', {
    state: 'disabled',
    changed_at: '2026-03-20T11:00:00Z',
    source: { kind: 'npm', name: '@orchard/fruit' },
  }),
  entry('broken', { state: 'failed' }),
  entry('drift', { changed_tools: 2, changed_at: '2026-01-01T00:00:00Z' }),
]
const NOW = Date.parse('2026-03-20T12:00:00Z')
const names = (search: string, filter: Parameters<typeof findModules>[1]['filter']) =>
  findModules(modules, { search, filter, newer: new Set(['drift']), now: NOW }).map(({ name }) => name)

test('finds by all words, whatever their case and accents', () => {
  expect(names('ecrits bucher', '')).toEqual(['zebra'])
  expect(names('zebra nothing', '')).toEqual([])
  expect(names('@orchard', '')).toEqual(['apple'])
})

test('modules that need attention come first, the others as they were given; filters by state', () => {
  expect(names('', '')).toEqual(['broken', 'drift', 'zebra', 'apple'])
  expect(names('', 'attention')).toEqual(['broken', 'drift'])
  expect(names('', 'off')).toEqual(['apple'])
  expect(names('', 'on')).toEqual(['broken', 'drift', 'zebra'])
})

test('those of which there are newer versions, and those that changed lately, newest first', () => {
  expect(names('', 'updates')).toEqual(['drift'])
  expect(names('', 'recent')).toEqual(['apple', 'zebra'])
})

test('a short name is made of what can stand in one', () => {
  expect(slugOf('  Wetter für alle! ')).toBe('wetter-fur-alle')
  expect(slugOf('Ж')).toBe('')
  expect(slugOf(`${'a'.repeat(63)}-b`)).toBe('a'.repeat(63))
})
