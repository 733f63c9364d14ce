import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { setLanguage } from '../../text/i18n.ts'
import type { GridColumn } from '../grid/grid-source.ts'
import { axisLabels } from './axis-of.ts'
import { cutTo, type PlacedLabel } from './axis-labels.ts'
import { niceScale, place, timeScale, type Scale } from './chart-scale.ts'

/** With a region, they change dates and numbers only: there is no catalogue to load. */
const LANGUAGES = ['de-DE', 'en-US', 'es-ES', 'fr-FR', 'ja-JP', 'pt-BR', 'ru-RU', 'uk-UA', 'zh-CN']

/** As wide as the font draws them, about: full width for the letters of Chinese and Japanese. */
const measure = (text: string): number =>
  [...text].reduce((sum, letter) => sum + (letter.codePointAt(0)! > 0x2e80 ? 12 : 6.8), 0)

function labels(
  type: GridColumn['type'],
  scale: Scale,
  width: number,
  names: string[] | null = null,
): readonly PlacedLabel[] {
  const x = (at: number): number => place(scale, at, 64, width - 16)
  const data = { x: { key: 'x', label: 'X', type }, names, series: [], drawn: 0, left: 0 }
  return axisLabels(data, scale, { x, step: x(1) - x(0), measure, width })
}

function areApart(placed: readonly PlacedLabel[], width: number): boolean {
  let end = -1e-6
  return placed.every(({ text, x }) => {
    const half = measure(text) / 2
    const apart = x - half >= end && x + half <= width + 1e-6
    end = x + half
    return apart
  })
}

const DAY = 86_400_000
const FROM = Date.parse('2026-03-03T09:17:00Z')

describe.each(LANGUAGES)('the time axis in %s', (code) => {
  beforeAll(() => setLanguage(code))
  test.each([360, 620, 1240])('never overlaps at %i px, and has two texts and more', (width) => {
    for (const span of [2000, 90_000, 3_600_000, DAY / 3, DAY * 1.5, DAY * 9, DAY * 40, DAY * 400, DAY * 9000])
      for (const type of ['date', 'datetime'] as const) {
        if (type === 'date' && span < DAY) continue
        const placed = labels(type, timeScale([FROM, FROM + span]), width)
        expect([span, placed.length]).toEqual([span, expect.toSatisfy((count: number) => count >= 2)])
        expect([span, areApart(placed, width)]).toEqual([span, true])
      }
  })
})

describe('the texts below an axis', () => {
  beforeAll(() => setLanguage('en-US'))
  test('are at round times', () => {
    const month = labels('date', timeScale([Date.parse('2026-01-05'), Date.parse('2026-12-20')]), 1240)
    expect(month.map(({ text }) => text)).toContain('Mar 2026')
    for (const { at } of month) expect(new Date(at).getUTCDate()).toBe(1)
    expect(labels('date', timeScale([Date.parse('2026-01-05')]), 360).map(({ text }) => text)).toEqual(['Jan 5'])
  })
  test('are apart whatever the values and the width', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 2000 }),
        fc.array(fc.double({ min: -1e12, max: 1e12, noNaN: true }), { minLength: 1, maxLength: 5 }),
        fc.array(fc.string({ maxLength: 30 }), { minLength: 1, maxLength: 90 }),
        (width, values, names) => {
          expect(areApart(labels('datetime', timeScale(values), width), width)).toBe(true)
          expect(areApart(labels('number', niceScale(values, false, 8), width), width)).toBe(true)
          expect(areApart(labels('text', { from: -0.5, to: names.length - 0.5, ticks: [] }, width, names), width)).toBe(
            true,
          )
        },
      ),
    )
  })
  test('are years without separators', () => {
    expect(labels('integer', niceScale([1998, 2024], false, 8), 900).map(({ text }) => text)).toContain('2010')
  })
  test('are cut to their room', () => {
    expect(cutTo('short', 200, measure)).toBe('short')
    expect(measure(cutTo('a name that is far too long', 80, measure))).toBeLessThanOrEqual(80)
  })
})
