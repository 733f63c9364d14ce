/**
 * Keeps the beginning and the end of a stream, `limit` bytes in total: a program may write gigabytes, and errors appear
 * at either end.
 */
export function captureOutput(limit: number) {
  const half = Math.floor(limit / 2)
  const head: Buffer[] = []
  let headSize = 0
  let tail: Buffer[] = []
  let tailSize = 0
  let total = 0
  return {
    push(chunk: Buffer) {
      total += chunk.length
      const toHead = chunk.subarray(0, half - headSize)
      if (toHead.length > 0) {
        head.push(toHead)
        headSize += toHead.length
      }
      const rest = chunk.subarray(toHead.length)
      if (rest.length === 0) return
      tail.push(rest)
      tailSize += rest.length
      // Joined only when twice too long, so that many small chunks don't cost a copy each.
      if (tailSize > half * 2) {
        tail = [Buffer.from(Buffer.concat(tail).subarray(-half))]
        tailSize = half
      }
    },
    /** Total bytes of the stream. */
    total: () => total,
    /** Bytes left out in the middle. */
    cut: () => Math.max(0, total - headSize - half),
    /** The text, with a line in place of the omitted middle. */
    text(): string {
      const end = Buffer.concat(tail).subarray(-half)
      const missing = total - headSize - end.length
      const join = missing > 0 ? `\n[… ${missing} bytes left out …]\n` : ''
      return missing > 0
        ? Buffer.concat(head).toString() + join + end.toString()
        : Buffer.concat([...head, end]).toString()
    },
  }
}
