/** So much of a body is handed over at once: the smallest progress that is noticed. */
const PIECE = 64 * 1024

/** Aborts a request when nothing happens for too long; time that the reader takes doesn't count. */
export class Silence {
  readonly signal: AbortSignal
  readonly #ms: number
  readonly #stop = new AbortController()
  #timer: NodeJS.Timeout | undefined

  /** `ms`: between two pieces. Nothing is measured before `begin`. */
  constructor(ms: number, outer: AbortSignal | undefined) {
    this.#ms = ms
    this.signal = outer === undefined ? this.#stop.signal : AbortSignal.any([outer, this.#stop.signal])
  }

  /** From now on, until the next call: that long, unless it is said how long. */
  begin(ms = this.#ms): void {
    this.end()
    this.#timer = setTimeout(() => this.#stop.abort(new Error('nothing came for too long')), ms)
  }

  end(): void {
    clearTimeout(this.#timer)
  }
}

/** An answer as it arrives. */
export async function* piecesOf(response: Response, silence: Silence): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  try {
    while (reader !== undefined) {
      silence.begin()
      const { done, value } = await reader.read()
      silence.end()
      if (done) return
      yield value
    }
  } finally {
    silence.end()
    await reader?.cancel().catch(() => undefined)
  }
}

/** A body as the connection takes it; `onPiece` hears of each piece with the bytes that are left. */
export function inPieces(body: Uint8Array<ArrayBuffer>, onPiece: (left: number) => void): ReadableStream {
  let at = 0
  return new ReadableStream(
    {
      pull(controller) {
        const piece = body.subarray(at, at + PIECE)
        at += piece.byteLength
        if (piece.byteLength > 0) {
          onPiece(body.byteLength - at)
          controller.enqueue(piece)
        }
        if (at >= body.byteLength) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
