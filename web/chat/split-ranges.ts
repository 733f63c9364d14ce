/**
 * A text cut at its marked ranges, in order: `text` pieces and `marked` pieces. Ranges are [from, to) in UTF-16 units; those
 * that overlap, are out of order or beyond the end come from elsewhere and must not break the page, so they are put right.
 */
export function splitRanges(
  text: string,
  ranges: readonly (readonly number[])[],
): readonly { readonly text: string; readonly marked: boolean }[] {
  const pieces: { text: string; marked: boolean }[] = []
  let at = 0
  const add = (to: number, marked: boolean): void => {
    if (to > at) pieces.push({ text: text.slice(at, to), marked })
    at = Math.max(at, to)
  }
  for (const [from = 0, to = 0] of ranges.toSorted(([a = 0], [b = 0]) => a - b)) {
    add(Math.min(from, text.length), false)
    add(Math.min(to, text.length), true)
  }
  add(text.length, false)
  return pieces
}
