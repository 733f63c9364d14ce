/** A text at a value of an axis. */
export interface Label {
  readonly at: number
  readonly text: string
}
/** A text where it is drawn, in pixels: its middle. */
export interface PlacedLabel extends Label {
  readonly x: number
}
/** The width of a text on the axis, in pixels. */
export type Measure = (text: string) => number

/** Pixels between two texts. */
export const GAP = 12

/**
 * The first of these ways to label an axis whose texts neither overlap nor leave the picture, each in the middle below
 * its value, or moved in from the edge of the picture. None fits: the ends alone, and at last only the first.
 */
export function fittingLabels(
  ways: Iterable<readonly Label[]>,
  { x, measure, width }: { x(at: number): number; measure: Measure; width: number },
): readonly PlacedLabel[] {
  const placed = (labels: readonly Label[]): PlacedLabel[] =>
    labels.map((label) => {
      const half = measure(label.text) / 2
      return { ...label, x: Math.max(half, Math.min(width - half, x(label.at))) }
    })
  const fits = (labels: readonly PlacedLabel[]): boolean =>
    labels.every((label, index) => {
      const next = labels[index + 1]
      return next === undefined || next.x - label.x >= (measure(label.text) + measure(next.text)) / 2 + GAP
    })
  let last: readonly Label[] = []
  for (const labels of ways) {
    const found = placed(labels)
    if (labels.length > 1 && fits(found)) return found
    if (labels.length > 0) last = labels
  }
  const ends = placed(last.length > 1 ? [last[0]!, last.at(-1)!] : last)
  return fits(ends) ? ends : ends.slice(0, 1)
}

/** The text if it is not wider than this, else its beginning with `…`. */
export function cutTo(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text
  const letters = [...text]
  let [fitting, long] = [0, letters.length]
  while (long - fitting > 1) {
    const middle = (fitting + long) >> 1
    if (measure(`${letters.slice(0, middle).join('')}…`) <= width) fitting = middle
    else long = middle
  }
  return `${letters.slice(0, fitting).join('').trimEnd()}…`
}

let context: CanvasRenderingContext2D | null | undefined

/** Measures as the browser draws the texts of a chart. */
export function measureText(text: string): number {
  context ??= document.createElement('canvas').getContext('2d')
  // Without a canvas: wide rather than too narrow.
  if (!context) return text.length * 8
  context.font = CHART_FONT
  return context.measureText(text).width
}

export const FONT_SIZE = 12
export const FONT_FAMILY = "'Inter Variable', Inter, system-ui, sans-serif"
const CHART_FONT = `${FONT_SIZE}px ${FONT_FAMILY}`
