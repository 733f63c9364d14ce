import { expect, test } from 'vitest'
import {
  type ConversationEntry,
  type ConversationPage,
  type ConversationPages,
  entriesOf,
  withEntry,
  withFreshHead,
  withoutEntry,
  withPatch,
} from './conversation-pages.ts'

/** `at` is the minute of the last change: larger is newer. */
function entry(id: string, at: number, patch: Partial<ConversationEntry> = {}): ConversationEntry {
  const time = new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString()
  return {
    conversation_id: id,
    title: id,
    folder_id: null,
    pinned: false,
    created_at: time,
    updated_at: time,
    deleted_at: null,
    imported_at: null,
    active_run: null,
    failure: null,
    snippet: null,
    hit: null,
    ...patch,
  }
}
function page(items: ConversationEntry[], next: string | null): ConversationPage {
  return { items, folders: [], query: '', current_conversation_id: null, next_cursor: next }
}
function pages(...all: ConversationPage[]): ConversationPages {
  return { pages: all, pageParams: all.map((_, index) => (index === 0 ? null : String(index))) }
}
const ids = (data: ConversationPages): string =>
  entriesOf(data)
    .map((item) => item.conversation_id)
    .join(' ')
const loaded = pages(page([entry('f', 60), entry('e', 50)], 'x'), page([entry('d', 40), entry('c', 30)], 'y'))

test('a fresh newest page keeps what is older, also what it has pushed out', () => {
  const fresh = page([entry('g', 70), entry('f', 60)], 'x')
  expect(ids(withFreshHead(loaded, fresh))).toBe('g f e d c')
  expect(withFreshHead(loaded, fresh).pages.at(-1)?.next_cursor).toBe('y')
})

test('an old conversation that became new is not there twice, a deleted one is gone', () => {
  expect(ids(withFreshHead(loaded, page([entry('c', 70), entry('f', 60)], 'x')))).toBe('c f e d')
  expect(ids(withFreshHead(loaded, page([entry('e', 50), entry('d', 40)], 'x')))).toBe('e d c')
})

test('a fresh page without a next one is the whole list', () => {
  expect(ids(withFreshHead(loaded, page([entry('f', 60)], null)))).toBe('f')
  expect(ids(withFreshHead(loaded, page([], null)))).toBe('')
})

test('an entry goes to its place by time, then by id; beyond the loaded end it waits for its page', () => {
  expect(ids(withEntry(loaded, entry('n', 45)))).toBe('f e n d c')
  expect(ids(withEntry(loaded, entry('n', 99)))).toBe('n f e d c')
  expect(ids(withEntry(loaded, entry('ee', 50)))).toBe('f ee e d c')
  expect(ids(withEntry(loaded, entry('n', 1)))).toBe('f e d c')
  expect(ids(withEntry(pages(page([entry('f', 60)], null)), entry('n', 1)))).toBe('f n')
  expect(ids(withEntry(pages(page([], null)), entry('n', 1)))).toBe('n')
})

test('an entry that is there moves; removing and patching touch nothing else', () => {
  expect(ids(withEntry(loaded, entry('c', 55)))).toBe('f c e d')
  expect(ids(withoutEntry(loaded, 'e'))).toBe('f d c')
  expect(withoutEntry(loaded, 'nobody')).toBe(loaded)
  expect(withPatch(loaded, 'nobody', { title: 'x' })).toBe(loaded)
  expect(entriesOf(withPatch(loaded, 'd', { title: 'x' })).map((item) => item.title)).toEqual(['f', 'e', 'x', 'c'])
})
