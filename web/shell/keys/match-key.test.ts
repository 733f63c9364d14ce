import { describe, expect, test } from 'vitest'
import { type KeyContext, matchKey, type PressedKey } from './match-key.ts'
import { isSingleKey, SHORTCUTS } from './shortcuts.ts'

const press = (key: string, more: Partial<PressedKey> = {}): PressedKey => ({
  key,
  code: '',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  repeat: false,
  isComposing: false,
  keyCode: 0,
  ...more,
})
const calm: KeyContext = { begun: null, busy: false, singleKeys: true, mac: false }

describe('matchKey', () => {
  test('knows single keys, combinations and sequences', () => {
    expect(matchKey(press('?'), calm)).toEqual({ id: 'map' })
    expect(matchKey(press('k', { ctrlKey: true }), calm)).toEqual({ id: 'palette' })
    expect(matchKey(press('ArrowUp', { altKey: true }), calm)).toEqual({ id: 'previous_conversation' })
    expect(matchKey(press('g'), calm)).toEqual({ begun: 'g' })
    expect(matchKey(press('d'), { ...calm, begun: 'g' })).toEqual({ id: 'go_dashboard' })
    expect(matchKey(press('d'), calm)).toBeNull()
  })

  test('a sequence that goes wrong still takes the key for itself', () => {
    expect(matchKey(press('n'), { ...calm, begun: 'g' })).toEqual({ id: 'new_conversation' })
    expect(matchKey(press('x'), { ...calm, begun: 'g' })).toBeNull()
    expect(matchKey(press('g'), { ...calm, begun: 'g' })).toEqual({ begun: 'g' })
  })

  test('while text is typed only Control or Command counts', () => {
    const busy = { ...calm, busy: true }
    for (const key of ['?', 'n', '/', 'g']) expect(matchKey(press(key), busy)).toBeNull()
    expect(matchKey(press('ArrowDown', { altKey: true }), busy)).toBeNull()
    expect(matchKey(press('.', { ctrlKey: true }), busy)).toEqual({ id: 'stop' })
  })

  test('turned off, single keys mean nothing and the rest stays', () => {
    const off = { ...calm, singleKeys: false }
    for (const key of ['?', 'n', '/', 'g']) expect(matchKey(press(key), off)).toBeNull()
    expect(matchKey(press('k', { ctrlKey: true }), off)).toEqual({ id: 'palette' })
    expect(matchKey(press('ArrowDown', { altKey: true }), off)).toEqual({ id: 'next_conversation' })
  })

  test('never on repeat, never within an input method', () => {
    expect(matchKey(press('n', { repeat: true }), calm)).toBeNull()
    expect(matchKey(press('n', { isComposing: true }), calm)).toBeNull()
    expect(matchKey(press('n', { keyCode: 229 }), calm)).toBeNull()
  })

  test('Command on a Mac, Control elsewhere, and no stranger beside it', () => {
    expect(matchKey(press('k', { metaKey: true }), { ...calm, mac: true })).toEqual({ id: 'palette' })
    expect(matchKey(press('k', { metaKey: true }), calm)).toBeNull()
    expect(matchKey(press('k', { ctrlKey: true }), { ...calm, mac: true })).toBeNull()
    expect(matchKey(press('k', { ctrlKey: true, altKey: true }), calm)).toBeNull()
    expect(matchKey(press('n', { altKey: true }), calm)).toBeNull()
  })

  test('on a Cyrillic keyboard the place of the letter counts', () => {
    expect(matchKey(press('л', { code: 'KeyK', ctrlKey: true }), calm)).toEqual({ id: 'palette' })
    expect(matchKey(press('т', { code: 'KeyN' }), calm)).toEqual({ id: 'new_conversation' })
    // On a Dvorak keyboard, `key` is what counts.
    expect(matchKey(press('n', { code: 'KeyL' }), calm)).toEqual({ id: 'new_conversation' })
  })
})

test('every shortcut of the table can be pressed, and no two have the same keys', () => {
  expect(new Set(SHORTCUTS.map(({ keys }) => keys)).size).toBe(SHORTCUTS.length)
  expect(new Set(SHORTCUTS.map(({ id }) => id)).size).toBe(SHORTCUTS.length)
  for (const shortcut of SHORTCUTS.filter(({ local }) => local !== true)) {
    const steps = shortcut.keys.split(' ')
    const last = steps.at(-1)!.split('+')
    const event = press(last.at(-1)!, { ctrlKey: last.includes('mod'), altKey: last.includes('Alt') })
    expect(matchKey(event, { ...calm, begun: steps.length > 1 ? steps[0]! : null })).toEqual({ id: shortcut.id })
  }
  expect(SHORTCUTS.filter(isSingleKey).map(({ keys }) => keys)).toEqual([
    '?',
    'g d',
    'g c',
    'g f',
    'g a',
    'g m',
    'n',
    '/',
  ])
})
