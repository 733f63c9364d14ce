import type { FileAnswer } from '../../contract/route.ts'

/** A file that is in memory already, as the answer of a route. */
export function bytesAnswer(name: string, media_type: string, bytes: Uint8Array): FileAnswer {
  return { name, media_type, size: bytes.byteLength, stream: once(bytes) }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
