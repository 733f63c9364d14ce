import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
// @ts-expect-error a script without types
import { readFigures, record, tableLines } from '../scripts/bench-table.mjs'

let folder: string
let document: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reeve-table-'))
  document = join(folder, 'performance.md')
  writeFileSync(document, '# Performance\n\nWords.\n')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const lists = { figure: 'lists', value: 4000, unit: '/s', aim: '≥ 5000', more: true }
const turn = { figure: 'turn', value: 11.44, unit: 'ms', aim: '< 20' }
const at = (commit: string) => ({ commit, day: '2026-11-23' })

test('the first table has aims and misses, and nothing to compare with', () => {
  expect(tableLines([lists, turn], document)).toEqual([
    'figure  aim     now               last recorded  change',
    'lists   ≥ 5000  4000 /s (missed)',
    'turn    < 20    11.4 ms',
  ])
})

test('what became worse by more than a tenth is marked, in the direction of each figure', () => {
  record([lists, turn], document, at('abc'))
  const now = [
    { ...lists, value: 3000 },
    { ...turn, value: 12 },
  ]
  expect(tableLines(now, document).slice(1)).toEqual([
    'lists   ≥ 5000  3000 /s (missed)  4000 (abc)     −25 % worse',
    'turn    < 20    12 ms             11.4 (abc)     +5 %',
  ])
  const better = [
    { ...lists, value: 5500 },
    { ...turn, value: 15 },
  ]
  expect(tableLines(better, document).slice(1)).toEqual([
    'lists   ≥ 5000  5500 /s  4000 (abc)     +38 %',
    'turn    < 20    15 ms    11.4 (abc)     +32 % worse',
  ])
})

test('recording replaces what was measured again, keeps the rest with its commit, and touches nothing else', () => {
  record([lists, turn], document, at('abc'))
  writeFileSync(document, `${readFileSync(document, 'utf8')}\nMore words.\n`)
  record([{ ...turn, value: 9 }], document, at('def'))
  expect(readFileSync(document, 'utf8')).toBe(`# Performance

Words.

## Figures

<!-- figures: written by npm run bench -- --record -->
| Figure | Aim | Measured | Unit | Commit | Day |
|---|---|---|---|---|---|
| lists | ≥ 5000 | 4000 | /s | abc | 2026-11-23 |
| turn | < 20 | 9 | ms | def | 2026-11-23 |
<!-- /figures -->

More words.
`)
})

test('a figure that was handed over twice counts once, as it was last', () => {
  const file = join(folder, 'figures')
  writeFileSync(file, [turn, lists, { ...turn, value: 3 }].map((each) => `${JSON.stringify(each)}\n`).join(''))
  expect(readFigures(file)).toEqual([{ ...turn, value: 3 }, lists])
  expect(readFigures(join(folder, 'none'))).toEqual([])
})
