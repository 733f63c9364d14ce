/**
 * A text split at its marked ranges, in order, into `text` and `marked` pieces. Ranges are [from, to) in UTF-16 units.
 * They come from outside, so overlapping, unordered or out-of-bounds ranges are corrected rather than breaking the
 * page.
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
