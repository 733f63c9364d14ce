import { expect, test } from 'vitest'
import { joinBlocks } from './join-blocks.ts'

/** A block of one sequence after another; each but the last repeats so many bytes that lie `back`. */
function pack(sequences: readonly { literals: Buffer; back?: number; repeat?: number }[]): Buffer {
  const more = (length: number): number[] =>
    length < 15 ? [] : [...Array<number>(Math.floor((length - 15) / 255)).fill(255), (length - 15) % 255]
  return Buffer.concat(
    sequences.map(({ literals, back, repeat = 4 }) => {
      const head = [(Math.min(literals.length, 15) << 4) | (back === undefined ? 0 : Math.min(repeat - 4, 15))]
      const tail = back === undefined ? [] : [back & 255, back >> 8, ...more(repeat - 4)]
      return Buffer.concat([Buffer.from([...head, ...more(literals.length)]), literals, Buffer.from(tail)])
    }),
  )
}

function unpack(block: Buffer): Buffer {
  const out: number[] = []
  let at = 0
  const length = (nibble: number): number => {
    let sum = nibble
    if (nibble === 15)
      for (let byte = 255; byte === 255; sum += byte) {
        byte = block[at++]!
      }
    return sum
  }
  for (;;) {
    const token = block[at++]!
    for (let left = length(token >> 4); left > 0; left--) out.push(block[at++]!)
    if (at === block.length) return Buffer.from(out)
    const back = block.readUInt16LE(at)
    at += 2
    for (let left = length(token & 15) + 4; left > 0; left--) out.push(out[out.length - back]!)
  }
}

const word = (number: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number)
  return bytes
}
const frame = (block: Buffer): Buffer => Buffer.concat([word(block.length), block])

const letters = (count: number, from = 97): Buffer =>
  Buffer.from(Array.from({ length: count }, (_, i) => from + (i % 26)))
const BLOCKS: readonly Buffer[] = [
  pack([{ literals: letters(3), back: 3, repeat: 300 }, { literals: letters(14) }]),
  pack([
    { literals: letters(269, 65), back: 200, repeat: 19 },
    { literals: Buffer.alloc(0), back: 1, repeat: 18 },
    { literals: letters(5) },
  ]),
  pack([{ literals: letters(700) }]),
  pack([{ literals: Buffer.alloc(0) }]),
  pack([{ literals: letters(14), back: 14, repeat: 4 }, { literals: letters(300) }]),
  pack([{ literals: letters(1) }]),
]

test('blocks one after the other are one block, no longer than they were', () => {
  for (const first of BLOCKS)
    for (const second of BLOCKS)
      for (const third of BLOCKS) {
        const all = [first, second, third]
        const wanted = Buffer.concat(all.map(unpack))
        if (wanted.length === 0) continue
        // As Hadoop writes them: each by itself, or all that came at once.
        const alone = Buffer.concat(all.map((block) => Buffer.concat([word(unpack(block).length), frame(block)])))
        const filled = all.filter((block) => unpack(block).length > 0)
        const together = Buffer.concat([word(wanted.length), ...filled.map(frame)])
        for (const data of [all.length === filled.length ? alone : together, together]) {
          const joined = joinBlocks(data, wanted.length)!
          expect(unpack(joined).equals(wanted)).toBe(true)
          expect(joined.length).toBeLessThan(data.length)
        }
      }
})

test('anything but such a frame is left alone', () => {
  const block = BLOCKS[0]!
  const { length } = unpack(block)
  const framed = Buffer.concat([word(length), frame(block)])
  expect(joinBlocks(framed, length)).toEqual(block)
  for (const [data, size] of [
    [block, length],
    [framed, length + 1],
    [framed, length - 1],
    [framed.subarray(0, -1), length],
    [Buffer.concat([framed, Buffer.of(0)]), length],
    [Buffer.concat([word(length), word(2 ** 32 - 1), block]), length],
    [Buffer.concat([word(9), frame(Buffer.of(0xff, 0xff))]), 9],
    [Buffer.concat([word(9), word(0), word(0)]), 9],
    [Buffer.alloc(0), 0],
    [Buffer.alloc(64), 9],
  ] as const)
    expect(joinBlocks(data, size)).toBeNull()
})
