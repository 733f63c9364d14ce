import { expect, test } from 'vitest'
import type { JournalLines } from '../../../contract/host-journal.ts'
import { type JournalRow, KEPT_LINES, withLines } from './journal-rows.ts'

function event(texts: readonly string[], left_out = 0): JournalLines {
  const lines = texts.map((text) => ({ at: null, priority: null, source: '', text }))
  return { follow_key: 'f', path: null, left_out, lines }
}

test('lines are added behind, with how many are left out before them', () => {
  const rows = withLines(withLines([], event(['a', 'b'])), event(['c', 'd'], 7))
  expect(rows.map(({ key, text, left_out }) => [key, text, left_out])).toEqual([
    [1, 'a', 0],
    [2, 'b', 0],
    [3, 'c', 7],
    [4, 'd', 0],
  ])
  expect(withLines(rows, event([]))).toBe(rows)
})

test('only the newest are kept', () => {
  let rows: readonly JournalRow[] = []
  for (let i = 0; i < 30; i++) rows = withLines(rows, event(Array.from({ length: 50 }, (_, at) => `${i}.${at}`)))
  expect([rows.length, rows[0]!.text, rows.at(-1)!.text]).toEqual([KEPT_LINES, '10.0', '29.49'])
})
