import { GuardedFetchError } from '../../kernel/network/guarded-fetch.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'

const LINE_FEED = 10
const RETURN = 13

/**
 * Lets a stream of events through for as long as each event stays within `limit` bytes; the stream as a whole may go on
 * forever. `onEnd` is called once it is over, for whatever reason.
 */
export function eventsWithin(limit: number, onEnd: (why: Sentence) => void): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  let lineIsEmpty = true
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      for (const byte of chunk) {
        size++
        if (byte === LINE_FEED) {
          // An empty line ends an event.
          if (lineIsEmpty) size = 0
          lineIsEmpty = true
        } else if (byte !== RETURN) lineIsEmpty = false
        if (size > limit) {
          const why = say`An event of the server is larger than ${Math.ceil(limit / 1024)} KiB.`
          onEnd(why)
          throw new GuardedFetchError('too_large', why)
        }
      }
      controller.enqueue(chunk)
    },
    flush: () => onEnd(say`It closed the connection.`),
  })
}
