/** Whether something has come (or failed) within so many milliseconds. */
export async function isThere(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), ms)))
  const settled = (): true => true
  try {
    return await Promise.race([work.then(settled, settled), late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Bytes whose beginning is known before the rest can be made: `start` at once, then what `whole` has behind it. `stop` ends the making when
 * nobody reads any more.
 */
export async function* startedEarly(
  start: Uint8Array,
  whole: Promise<AsyncIterable<Uint8Array>>,
  stop: () => void,
): AsyncGenerator<Uint8Array> {
  // It is asked for below; until then, failing is nobody's fault.
  whole.catch(() => undefined)
  let complete = false
  try {
    yield start
    let known = start.length
    for await (const piece of await whole) {
      const skipped = Math.min(known, piece.length)
      known -= skipped
      if (skipped < piece.length) yield piece.subarray(skipped)
    }
    complete = true
  } finally {
    if (!complete) {
      stop()
      void whole.then((bytes) => bytes[Symbol.asyncIterator]().return?.()).catch(() => undefined)
    }
  }
}
