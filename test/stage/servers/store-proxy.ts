import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface StoreRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
}

/** What becomes of a request: `silent` never answers, `stall` says nothing more after half of the answer's bytes. */
export type Fate = 'pass' | 'cut' | 'silent' | 'stall'

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
    const asked = { method: incoming.method ?? '', path: incoming.url ?? '' }
    requests.push(asked)
    void Promise.resolve(proxy.meet(asked)).then((fate) => {
      if (fate === 'cut') incoming.socket.destroy()
      else if (fate === 'silent') incoming.resume()
      else pass(new URL(asked.path, storeUrl), { incoming, response, stalls: fate === 'stall' })
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
  { incoming, response, stalls }: { incoming: IncomingMessage; response: ServerResponse; stalls: boolean },
): void {
  // The signature is over the name that was asked for.
  const onward = request(url, { method: incoming.method, headers: incoming.headers })
  onward.on('response', (back) => {
    response.writeHead(back.statusCode ?? 500, back.headers)
    if (!stalls) return void back.pipe(response)
    let left = Math.floor(Number(back.headers['content-length']) / 2)
    back.on('data', (piece: Buffer) => {
      if (left > 0) response.write(piece.subarray(0, left))
      left -= piece.byteLength
    })
  })
  onward.on('error', () => response.destroy())
  incoming.on('error', () => onward.destroy())
  incoming.pipe(onward)
}
