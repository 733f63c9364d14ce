import { Circle } from 'lucide-react'
import { expect, test } from 'vitest'
import { type PaletteEntry, type PaletteGroup, rankEntries } from './palette-entry.ts'

const entry = (group: PaletteGroup, title: string, more: Partial<PaletteEntry> = {}): PaletteEntry => ({
  id: `${group}:${title}`,
  group,
  title,
  icon: Circle,
  run: () => undefined,
  ...more,
})
const shown = (entries: readonly PaletteEntry[], query: string): string[] =>
  rankEntries(entries, query).flatMap((group) => [`# ${group.group}`, ...group.entries.map((each) => each.entry.title)])

test('the group with the best entry comes first, and in it the best entry', () => {
  const all = [
    entry('conversations', 'About the host'),
    entry('actions', 'Sign out'),
    entry('tools', 'Ghost'),
    entry('tools', 'Host'),
  ]
  expect(shown(all, 'host')).toEqual(['# tools', 'Host', 'Ghost', '# conversations', 'About the host'])
})

test('without a query: a few of each group in their order', () => {
  const many = Array.from({ length: 20 }, (_, index) => entry('conversations', `Number ${index}`))
  expect(shown([...many, entry('pages', 'Chat')], '')).toEqual([
    '# conversations',
    ...many.slice(0, 5).map(({ title }) => title),
    '# pages',
    'Chat',
  ])
})

test('what only the server found stays, last; keywords count, but are not marked', () => {
  const all = [
    entry('conversations', 'Untitled', { found: true }),
    entry('conversations', 'Nothing of it'),
    entry('tools', 'Memory', { keywords: 'system.memory' }),
  ]
  expect(shown(all, 'system')).toEqual(['# tools', 'Memory', '# conversations', 'Untitled'])
})
