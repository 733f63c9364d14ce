import { inflateSync } from 'node:zlib'

/** Digits by their dots, five in each of seven rows. */
const DIGITS: Record<string, string> = {
  '01110100010000100110010001000011111': '2',
  '01110100010000100110000011000101110': '3',
  '00010001100101010010111110001000010': '4',
  '11111100001111000001000011000101110': '5',
  '00110010001000011110100011000101110': '6',
  '01110100011000101110100011000101110': '8',
  '01110100011000101111000010001001100': '9',
}
const ACROSS = 5
const DOWN = 7

/** What a model that sees reads in a picture of a number, black on white: the digits of a PNG. */
export function readNumber(png: Buffer): string {
  const side = png.readUInt32BE(16)
  const parts: Buffer[] = []
  for (let at = 8; at < png.byteLength; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  const points = inflateSync(Buffer.concat(parts))
  const isDark = (x: number, y: number) => points[y * (1 + side * 3) + 1 + x * 3]! < 128
  const all = [...Array(side).keys()]
  const rows = all.filter((y) => all.some((x) => isDark(x, y)))
  const [top, bottom] = [rows[0]!, rows.at(-1)!]
  // White columns stand between two digits.
  const columns = all.map((x) => rows.some((y) => isDark(x, y)))
  const starts = all.filter((x) => columns[x] && !columns[x - 1])
  const ends = all.filter((x) => columns[x] && !columns[x + 1])
  const radius = (bottom - top + 1) / (DOWN * 2)
  const dots = starts.map((left, at) => {
    const [across, down] = [ends[at]! - left, bottom - top]
    return Array.from({ length: ACROSS * DOWN }, (_, dot) => {
      const x = left + radius + ((across - 2 * radius) * (dot % ACROSS)) / (ACROSS - 1)
      const y = top + radius + ((down - 2 * radius) * Math.floor(dot / ACROSS)) / (DOWN - 1)
      return isDark(Math.round(x), Math.round(y)) ? '1' : '0'
    }).join('')
  })
  return dots.map((digit) => DIGITS[digit] ?? '?').join('')
}
