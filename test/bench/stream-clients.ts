/**
 * A process full of clients of activity streams, started by streams.ts: plain sockets, so that they cost little. Answers
 * each message of its parent with one.
 */
import { connect, type Socket } from 'node:net'

export type Order =
  /** Opens one stream for each credential, from this address. */
  | { readonly open: { readonly port: number; readonly from: string; readonly cookies: readonly string[] } }
  /** Waits until `count` streams were told of `mark`, and answers when, in `now()`. */
  | { readonly await: { readonly mark: string; readonly count: number } }
  /** Renames a conversation and waits until `count` streams were told; answers with each one's milliseconds. */
  | {
      readonly rename: { readonly mark: string; readonly count: number; readonly path: string; readonly bearer: string }
    }
export interface Answer {
  readonly times: readonly number[]
}

const AT_ONCE = 50
let port = 0
const arrivals = new Map<string, { times: number[]; count: number; done: () => void }>()

/** Milliseconds on a clock that all processes of a machine share. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

function open(from: string, cookie: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true })
    socket.on('error', reject).on('close', () => {
      process.stderr.write('a stream was closed\n')
      process.exit(1)
    })
    let opened = false
    socket.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1')
      if (!opened && text.includes('event: snapshot')) {
        opened = true
        resolve()
      }
      for (const [, mark] of text.matchAll(/"(mark-\d+)"/g)) arrive(mark!)
    })
    socket.write(
      `GET /api/chat/activity/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: reeve_session=${cookie}\r\n\r\n`,
    )
  })
}

function arrive(mark: string): void {
  const waiting = arrivals.get(mark)
  if (waiting && waiting.times.push(now()) === waiting.count) waiting.done()
}

function told(mark: string, count: number): Promise<number[]> {
  return new Promise((resolve) => {
    const times: number[] = []
    arrivals.set(mark, { times, count, done: () => resolve(times) })
  })
}

let asking: Socket | null = null
async function rename(path: string, bearer: string, mark: string, count: number): Promise<number[]> {
  asking ??= connect({ port, host: '127.0.0.1', noDelay: true }).resume()
  const body = JSON.stringify({ title: mark })
  const all = told(mark, count)
  const begun = now()
  asking.write(
    `PATCH ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${bearer}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  return (await all).map((at) => at - begun)
}

async function obey(order: Order): Promise<number[]> {
  if ('open' in order) {
    port = order.open.port
    const left = [...order.open.cookies]
    const open_ = async () => {
      for (let cookie = left.pop(); cookie !== undefined; cookie = left.pop()) await open(order.open.from, cookie)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, open_))
    return []
  }
  if ('await' in order) return told(order.await.mark, order.await.count)
  const { path, bearer, mark, count } = order.rename
  return rename(path, bearer, mark, count)
}

process.on('message', (order: Order) => {
  void obey(order).then((times) => process.send!({ times } satisfies Answer))
})
process.once('disconnect', () => process.exit(0))
