import { randomInt } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'

/** Those that look like no other and like no letter, by their dots. */
const DIGITS = new Map([
  ['2', [' ### ', '#   #', '    #', '  ## ', ' #   ', '#    ', '#####']],
  ['3', [' ### ', '#   #', '    #', '  ## ', '    #', '#   #', ' ### ']],
  ['4', ['   # ', '  ## ', ' # # ', '#  # ', '#####', '   # ', '   # ']],
  ['5', ['#####', '#    ', '#### ', '    #', '    #', '#   #', ' ### ']],
  ['6', ['  ## ', ' #   ', '#    ', '#### ', '#   #', '#   #', ' ### ']],
  ['8', [' ### ', '#   #', '#   #', ' ### ', '#   #', '#   #', ' ### ']],
  ['9', [' ### ', '#   #', '#   #', ' ####', '    #', '   # ', ' ##  ']],
])
const LENGTH = 4
const [WIDE, HIGH] = [5, 7]
/** From one dot of a digit to the next, and of a dot: they run into each other. */
const SCALE = 12
const RADIUS = 9
/** Square, and no larger than the smallest models look at: nothing of it is cut off, or made too small to read. */
const SIDE = 336

/** A number of four digits, no two alike side by side: one of 1512, and another each time. */
export function anyNumber(): string {
  const all = [...DIGITS.keys()]
  let number = ''
  while (number.length < LENGTH) {
    const others = all.filter((digit) => digit !== number.at(-1))
    number += others[randomInt(others.length)]
  }
  return number
}

/** It in black on white, as a PNG. */
export function numberPicture(number: string): Buffer {
  // The first byte of each line says that it is as it is.
  const line = 1 + SIDE * 3
  const points = Buffer.alloc(line * SIDE, 255)
  for (let y = 0; y < SIDE; y++) points[y * line] = 0
  const left = Math.round((SIDE - (number.length * (WIDE + 1) - 2) * SCALE) / 2)
  const top = Math.round((SIDE - (HIGH - 1) * SCALE) / 2)
  for (const [at, digit] of [...number].entries()) {
    for (const [row, dots] of (DIGITS.get(digit) ?? []).entries()) {
      for (const [column, dot] of [...dots].entries()) {
        if (dot !== '#') continue
        const [x, y] = [left + (at * (WIDE + 1) + column) * SCALE, top + row * SCALE]
        for (let down = -RADIUS; down <= RADIUS; down++) {
          const half = Math.round(Math.sqrt(RADIUS ** 2 - down ** 2))
          const from = (y + down) * line + 1 + (x - half) * 3
          points.fill(0, from, from + (2 * half + 1) * 3)
        }
      }
    }
  }
  // Eight bits of red, green and blue.
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0])
  header.writeUInt32BE(SIDE, 0)
  header.writeUInt32BE(SIDE, 4)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const end = Buffer.alloc(0)
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(points)), chunk('IEND', end)])
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.byteLength)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
