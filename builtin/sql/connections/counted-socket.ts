import { Socket } from 'node:net'

const BYTE_LIMIT = 64 * 1024 * 1024

/**
 * A socket that disconnects once more arrives than anyone could want to see, because rows are held in memory until they
 * are shown.
 */
export function countedSocket(): Socket {
  const socket = new Socket()
  const read = socket.push.bind(socket)
  let received = 0
  socket.push = (chunk: Uint8Array | null, encoding?: BufferEncoding) => {
    received += chunk?.byteLength ?? 0
    if (received > BYTE_LIMIT) {
      const text = `Its answer is larger than ${BYTE_LIMIT / 1024 / 1024} MB. Ask for fewer rows or columns.`
      socket.destroy(new Error(text))
      return false
    }
    return read(chunk, encoding)
  }
  return socket
}
