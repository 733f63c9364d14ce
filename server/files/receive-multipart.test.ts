import { describe, expect, test } from 'vitest'
import { receiveMultipart } from './receive-multipart.ts'

const TYPE = 'multipart/form-data; boundary=b'
const FORM = Buffer.from(
  '--b\r\nContent-Disposition: form-data; name="file"; filename="я.txt"\r\nContent-Type: text/plain\r\n\r\nтекст\r\n--a-\r\n--b--\r\n',
)
const CONTENT = 'текст\r\n--a-'

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
async function read(name: string, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = []
  for await (const piece of bytes) all.push(piece)
  return `${name}: ${Buffer.concat(all).toString()}`
}

describe('receiveMultipart', () => {
  test('finds the file however the network cuts the body', async () => {
    for (let size = 1; size <= FORM.length; size++) {
      expect(await receiveMultipart(TYPE, inPieces(FORM, size), read)).toBe(`я.txt: ${CONTENT}`)
    }
  })

  test('a form cut off anywhere is refused, and never taken for a shorter file', async () => {
    const end = FORM.lastIndexOf('--') + 2
    for (let length = 0; length < end; length++) {
      for (const size of [1, 7, 1000]) {
        const received = receiveMultipart(TYPE, inPieces(FORM.subarray(0, length), size), read)
        await expect(received, `${length} bytes in pieces of ${size}`).rejects.toMatchObject({
          code: 'invalid_request',
        })
      }
    }
  })

  test('stops reading when the receiver fails, with the reason of the receiver', async () => {
    let left = false
    async function* endless() {
      try {
        yield FORM.subarray(0, FORM.indexOf('текст'))
        for (;;) yield Buffer.alloc(64 * 1024)
      } finally {
        left = true
      }
    }
    const failing = async (_name: string, bytes: AsyncIterable<Uint8Array>) => {
      for await (const piece of bytes) if (piece.byteLength > 0) throw new Error('disk full')
    }
    await expect(receiveMultipart(TYPE, endless(), failing)).rejects.toThrow('disk full')
    await expect.poll(() => left).toBe(true)
    left = false
    await expect(receiveMultipart(TYPE, endless(), () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    await expect.poll(() => left).toBe(true)
  })

  test('an error of the body comes through', async () => {
    async function* breaks() {
      yield FORM.subarray(0, 110)
      throw new Error('too large')
    }
    await expect(receiveMultipart(TYPE, breaks(), read)).rejects.toThrow('too large')
  })

  test('a form of very many parts or headers is refused', async () => {
    const parts = Buffer.from('--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n\r\n'.repeat(10_000))
    await expect(receiveMultipart(TYPE, inPieces(parts, 65_536), read)).rejects.toMatchObject({
      code: 'invalid_request',
    })
    const headers = Buffer.from(`--b\r\n${'x: y\r\n'.repeat(100_000)}`)
    await expect(receiveMultipart(TYPE, inPieces(headers, 65_536), read)).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })
})
