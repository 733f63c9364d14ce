/** Whether something has resolved or failed within this many milliseconds. */
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
 * Bytes whose beginning is known before the rest can be produced: `start` immediately, then whatever `whole` has after
 * it. `stop` ends the production when nobody reads any more.
 */
export async function* startedEarly(
  start: Uint8Array,
  whole: Promise<AsyncIterable<Uint8Array>>,
  stop: () => void,
): AsyncGenerator<Uint8Array> {
  // It is awaited below; until then, a failure must not count as unhandled.
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
