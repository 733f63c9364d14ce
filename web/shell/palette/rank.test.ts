import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fold } from '../../text/fold.ts'
import { rank } from './rank.ts'

const marked = (text: string, query: string): string[] | undefined =>
  rank(text, query)?.ranges.map(([from, to]) => text.slice(from, to))

describe('rank', () => {
  test('prefix before word start before substring before scattered words', () => {
    const scores = ['Disk report', 'Show disk', 'Floppydisk'].map((text) => rank(text, 'disk')?.score)
    expect(scores).toEqual([3, 2, 1])
    expect(rank('Report of the disk', 'disk report')!.score).toBeLessThan(rank('Old disk report', 'disk report')!.score)
    expect(rank('Disk', 'disc')).toBeNull()
    expect(rank('Disk report', 'disk nothing')).toBeNull()
  })

  test('finds the word that begins with it, not the first hit', () => {
    expect(rank('undisk disk', 'disk')).toEqual({ score: 2, ranges: [[7, 11]] })
  })

  test('ignores case and accents, and marks the original', () => {
    expect(marked('Übersicht öffnen', 'offnen')).toEqual(['öffnen'])
    expect(marked('Ёлка', 'елка')).toEqual(['Ёлка'])
    expect(marked('🙂 Cafe\u0301 au lait', 'café')).toEqual(['Cafe\u0301'])
    expect(marked('disk report', 'report disk')).toEqual(['disk', 'report'])
  })

  test('an empty query fits everything the same', () => {
    expect(rank('Anything', '  ')).toEqual({ score: 0, ranges: [] })
  })

  test('a part of a text is always found, and what is marked folds to it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), fc.nat(), (text, a, b) => {
        const characters = [...text]
        const part = characters.slice(Math.min(a, b) % (characters.length + 1), Math.max(a, b)).join('')
        const found = rank(text, part)
        expect(found).not.toBeNull()
        const wanted = fold(part.trim()).text
        if (wanted !== '' && found!.ranges.length === 1) {
          const [from, to] = found!.ranges[0]!
          expect(fold(text.slice(from, to)).text).toBe(wanted)
        }
      }),
    )
  })
})
