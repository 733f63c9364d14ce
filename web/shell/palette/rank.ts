import { fold } from '../../text/fold.ts'

/** [from, to) in UTF-16 units of the text. */
export type Range = readonly [from: number, to: number]

export interface Rank {
  /** 3: the text starts with the query; 2: a word does; 1: it contains it; less for several separate words. */
  readonly score: number
  /** Ranges to mark, in order, without overlaps. */
  readonly ranges: readonly Range[]
}

/**
 * How well a text matches a query, ignoring case and accents; null when it does not. An empty query matches everything
 * equally.
 */
export function rank(text: string, query: string): Rank | null {
  const wanted = fold(query.trim()).text
  if (wanted === '') return { score: 0, ranges: [] }
  const whole = rankWord(text, wanted)
  if (whole) return whole
  const words = wanted.split(/\s+/)
  if (words.length < 2) return null
  const ranks = words.map((word) => rankWord(text, word))
  if (ranks.some((each) => each === null)) return null
  const found = ranks as Rank[]
  return {
    score: Math.min(...found.map(({ score }) => score)) / 2,
    ranges: merge(found.flatMap(({ ranges }) => ranges)),
  }
}

function rankWord(original: string, wanted: string): Rank | null {
  const { text, at } = fold(original)
  const inside = text.indexOf(wanted)
  if (inside < 0) return null
  let place = inside
  while (place > 0 && !beginsWord(text, place)) {
    const next = text.indexOf(wanted, place + 1)
    if (next < 0) break
    place = next
  }
  const begins = beginsWord(text, place)
  if (!begins) place = inside
  return {
    score: place === 0 ? 3 : begins ? 2 : 1,
    ranges: [[at[place] ?? 0, at[place + wanted.length] ?? original.length]],
  }
}

function beginsWord(text: string, place: number): boolean {
  return place === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(place - 1))
}

function merge(ranges: readonly Range[]): Range[] {
  const merged: Range[] = []
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last && from <= last[1]) merged[merged.length - 1] = [last[0], Math.max(last[1], to)]
    else merged.push([from, to])
  }
  return merged
}
