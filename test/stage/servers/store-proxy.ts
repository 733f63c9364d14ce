import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

export interface StoreRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** Bytes of its body. */
  readonly size: number
}

/**
 * What becomes of a request: `silent` never answers, `stall` says nothing more after half of the answer's bytes, `slow`
 * takes and gives so many bytes a second, and a function is called once the store has done it, while nobody hears the answer.
 */
export type Fate = 'pass' | 'cut' | 'silent' | 'stall' | { readonly slow: number } | (() => Promise<unknown>)

/** A network between a service and an S3 store that a test can watch and break. */
export interface StoreProxy extends AsyncDisposable {
  readonly url: string
  /** Every request so far. */
  readonly requests: readonly StoreRequest[]
  /** Asked about each request before it goes on; it may take its time. */
  meet: (request: StoreRequest) => Fate | Promise<Fate>
}

export async function openStoreProxy(storeUrl: string): Promise<StoreProxy> {
  const requests: StoreRequest[] = []
  const server = createServer((incoming, response) => {
    const { method = '', url = '', headers } = incoming
    const asked = { method, path: url, size: Number(headers['content-length'] ?? 0) }
    requests.push(asked)
    void Promise.resolve(proxy.meet(asked)).then(async (fate) => {
      if (fate === 'cut') return void incoming.socket.destroy()
      if (fate === 'silent') return void incoming.resume()
      // As a whole: a store has nothing of a request that broke off, and this one might.
      const body = await buffer(paced(incoming, fate)).catch(() => null)
      if (body !== null) pass(new URL(asked.path, storeUrl), body, { incoming, response, fate })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: StoreProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    meet: () => 'pass',
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
  return proxy
}

function pass(
  url: URL,
  body: Buffer,
  { incoming, response, fate }: { incoming: IncomingMessage; response: ServerResponse; fate: Fate },
): void {
  // The signature is over the name that was asked for.
  const onward = request(url, { method: incoming.method, headers: incoming.headers })
  onward.on('response', (back) => {
    if (typeof fate === 'function') {
      back.resume()
      void fate().finally(() => response.destroy())
      return
    }
    response.writeHead(back.statusCode ?? 500, back.headers)
    if (fate !== 'stall') return void Readable.from(paced(back, fate)).pipe(response)
    let left = Math.floor(Number(back.headers['content-length']) / 2)
    back.on('data', (piece: Buffer) => {
      if (left > 0) response.write(piece.subarray(0, left))
      left -= piece.byteLength
    })
  })
  onward.on('error', () => response.destroy())
  onward.end(body)
}

async function* paced(bytes: AsyncIterable<Buffer>, fate: Fate): AsyncGenerator<Buffer> {
  for await (const piece of bytes) {
    if (typeof fate === 'object') await pause((piece.byteLength / fate.slow) * 1000)
    yield piece
  }
}
