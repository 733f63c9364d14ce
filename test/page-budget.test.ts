import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

interface Sizes {
  readonly first_load: number
  readonly with_messages: number
  readonly chunks: Readonly<Record<string, number>>
}
interface Scripts {
  overrunsIn(folder: string): string[]
  overrunsOf(budget: Sizes, sizes: Sizes): string[]
}

// Plain JavaScript, because the build runs before anything is installed that could read types.
const script: string = new URL('../scripts/budget.mjs', import.meta.url).href
const { overrunsIn, overrunsOf } = (await import(script)) as Scripts
const ROOT = join(import.meta.dirname, '..')
const budget: Sizes = { first_load: 160_000, with_messages: 190_000, chunks: { 'chat.js': 16_000, 'icons.js': 7000 } }
const sizes: Sizes = { ...budget, chunks: { ...budget.chunks } }

describe('the budget of the pages', () => {
  test('holds for the pages as built', () => {
    expect(overrunsIn(join(ROOT, 'dist/web'))).toEqual([])
  })

  test('allows growth of 3 %, small chunks, and chunks that are gone', () => {
    expect(overrunsOf(budget, sizes)).toEqual([])
    const chunks = { 'chat.js': 16_480, 'note.js': 3999 }
    expect(overrunsOf(budget, { ...sizes, first_load: 164_800, chunks })).toEqual([])
  })

  test('names a chunk that grew further, with its size before and now', () => {
    const chunks = { ...sizes.chunks, 'chat.js': 16_500 }
    expect(overrunsOf(budget, { ...sizes, chunks })).toEqual([
      'The chunk chat.js grew by 3.1 %: 16000 bytes of gzip before, 16500 now.',
    ])
  })

  test('names a new chunk that is not small', () => {
    const chunks = { ...sizes.chunks, 'charts.js': 4000 }
    expect(overrunsOf(budget, { ...sizes, chunks })).toEqual(['The chunk charts.js is new: 4000 bytes of gzip.'])
  })

  test('names the first load, which many small growths add up to, and never lets it beyond its limit', () => {
    expect(overrunsOf(budget, { ...sizes, first_load: 165_000, with_messages: 196_000 })).toEqual([
      'The first load of /chat grew by 3.1 %: 160000 bytes of gzip before, 165000 now.',
      'The first load of /chat with its messages grew by 3.2 %: 190000 bytes of gzip before, 196000 now.',
    ])
    const accepted = { ...budget, first_load: 171_000 }
    expect(overrunsOf(accepted, { ...sizes, first_load: 171_000 })).toEqual([
      'The first load of /chat is 171000 bytes of gzip; the most is 170000.',
    ])
  })
})
