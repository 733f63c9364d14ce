/** The elements of an LZ4 block: sequences of literals and a match each; only the last one has no match. */
interface Block {
  readonly from: number
  /** Unpacked size in bytes. */
  readonly size: number
  readonly first: Literals
  readonly last: Literals
}
interface Literals {
  /** Where the sequence begins. */
  readonly start: number
  readonly from: number
  readonly to: number
}

/**
 * Converts Hadoop's framing into one LZ4 block that unpacks to `size` bytes: groups of [bytes unpacked], then blocks
 * with [bytes packed] before each. Never longer than `data`. Null if it isn't such a frame.
 */
export function joinBlocks(data: Buffer, size: number): Buffer | null {
  const blocks = size === 0 ? null : findBlocks(data, size)
  if (blocks === null) return null
  const out = Buffer.allocUnsafe(data.length)
  let at = 0
  let waiting: Literals[] = []
  const flush = (token: number): void => {
    const length = waiting.reduce((sum, { from, to }) => sum + to - from, 0)
    out[at++] = (Math.min(length, 15) << 4) | (token & 15)
    if (length >= 15) {
      let left = length - 15
      for (; left >= 255; left -= 255) out[at++] = 255
      out[at++] = left
    }
    for (const { from, to } of waiting) at += data.copy(out, at, from, to)
    waiting = []
  }
  for (const { first, last } of blocks) {
    // The literals that end a block and those that begin the next become one sequence.
    waiting.push(first)
    if (first.start === last.start) continue
    flush(data[first.start]!)
    at += data.copy(out, at, first.to, last.start)
    waiting.push(last)
  }
  flush(0)
  return out.subarray(0, at)
}

function findBlocks(data: Buffer, size: number): Block[] | null {
  const blocks: Block[] = []
  let at = 0
  let total = 0
  while (at + 4 <= data.length) {
    let left = data.readUInt32BE(at)
    at += 4
    total += left
    if (total > size) return null
    while (left > 0) {
      if (at + 4 > data.length) return null
      const from = at + 4
      at = from + data.readUInt32BE(at)
      const block = at > data.length ? null : readBlock(data, from, at)
      if (block === null || block.size > left) return null
      left -= block.size
      blocks.push(block)
    }
  }
  return at === data.length && total === size ? blocks : null
}

function readBlock(data: Buffer, from: number, to: number): Block | null {
  let at = from
  let size = 0
  let first: Literals | null = null
  const length = (nibble: number): number => {
    let sum = nibble
    for (let byte = nibble === 15 ? 255 : 0; byte === 255 && at < to; sum += byte) byte = data[at++]!
    return sum
  }
  while (at < to) {
    const start = at
    const token = data[at++]!
    const literals = length(token >> 4)
    const last: Literals = { start, from: at, to: at + literals }
    first ??= last
    at += literals
    size += literals
    if (at === to) return { from, size, first, last }
    at += 2
    size += length(token & 15) + 4
  }
  return null
}
