import { fold } from '../text/fold.ts'
import { rank, type Range } from '../shell/palette/rank.ts'
import type { Chapter } from './chapter.ts'

export interface FoundSection {
  readonly chapter: string
  readonly chapterTitle: string
  /** Empty: the start of the chapter. */
  readonly id: string
  readonly heading: string
  readonly headingRanges: readonly Range[]
  readonly snippet: string
  readonly snippetRanges: readonly Range[]
}

const MOST = 30
const BEFORE = 40
const SNIPPET = 160

/**
 * Sections that contain every word of the query, ignoring case and accents; those with the words in their heading
 * first.
 */
export function findSections(chapters: readonly Chapter[], query: string): readonly FoundSection[] {
  const words = [...new Set(fold(query.trim()).text.split(/\s+/))].filter((word) => word !== '')
  if (words.length === 0) return []
  const found: { score: number; section: FoundSection }[] = []
  for (const chapter of chapters) {
    for (const { id, heading, text } of chapter.sections) {
      const places = [fold(chapter.title).text, fold(heading).text, fold(text).text]
      if (!words.every((word) => places.some((place) => place.includes(word)))) continue
      // Otherwise a chapter's title would match in each of its sections.
      if (
        id !== '' &&
        words.every((word) => places[0]!.includes(word)) &&
        !words.some((word) => places[1]!.includes(word) || places[2]!.includes(word))
      )
        continue
      const title = rank(heading, query)
      const snippet = cut(text, words)
      found.push({
        score: (title?.score ?? 0) * 10 + (id === '' ? 1 : 0) + snippet.ranges.length / 100,
        section: {
          chapter: chapter.id,
          chapterTitle: chapter.title,
          id,
          heading,
          headingRanges: title?.ranges ?? [],
          snippet: snippet.text,
          snippetRanges: snippet.ranges,
        },
      })
    }
  }
  return found
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST)
    .map(({ section }) => section)
}

/** An excerpt around the first hit, with all hits in it. */
function cut(text: string, words: readonly string[]): { text: string; ranges: readonly Range[] } {
  const whole = fold(text)
  const first = Math.min(...words.map((word) => whole.text.indexOf(word)).filter((at) => at >= 0))
  const place = Number.isFinite(first) ? (whole.at[first] ?? 0) : 0
  const from = place <= BEFORE ? 0 : text.indexOf(' ', place - BEFORE) + 1 || place - BEFORE
  const part = text.slice(from, from + SNIPPET)
  const shown = `${from > 0 ? '… ' : ''}${part}${from + SNIPPET < text.length ? ' …' : ''}`
  return { text: shown, ranges: hits(shown, words) }
}

function hits(text: string, words: readonly string[]): readonly Range[] {
  const { text: folded, at } = fold(text)
  const all = words.flatMap((word) => {
    const ranges: Range[] = []
    for (let place = folded.indexOf(word); place >= 0; place = folded.indexOf(word, place + word.length))
      ranges.push([at[place]!, at[place + word.length]!])
    return ranges
  })
  const sorted = all.toSorted((a, b) => a[0] - b[0])
  return sorted.filter((range, index) => index === 0 || range[0] >= sorted[index - 1]![1])
}
