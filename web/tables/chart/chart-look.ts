/**
 * Distinguishable on white and on the dark surface. Hexadecimal, because programs that open an exported SVG support
 * nothing else.
 */
export const SERIES = [
  '#4f7cf0',
  '#d97a1e',
  '#1f9d82',
  '#c74a94',
  '#8a6fe0',
  '#8a8f1f',
  '#d4524a',
  '#3f93b8',
  '#7d8596',
]
/** Size of every chart, in pixels. */
export const HEIGHT = 340

/** A coordinate: finer than a tenth of a pixel is nothing that could be seen. */
export function tenths(pixels: number): number {
  return Math.round(pixels * 10) / 10
}
