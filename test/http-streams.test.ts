import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { StreamEvent } from '../contract/route.ts'
import { ann, annWrites, lines, openFixture } from './stage/servers/http-fixture.ts'
import { until } from './stage/wait.ts'

let fixture: Awaited<ReturnType<typeof openFixture>>
let port: number
beforeEach(async () => {
  lines.length = 0
  fixture = await openFixture({ streamTiming: { heartbeat: 40, recheck: 50, slowClient: 200 } })
  ;({ port } = await fixture.server.listen())
})
afterEach(() => fixture.server[Symbol.asyncDispose]())

async function open(path: string, headers: Record<string, string> = ann): Promise<IncomingMessage> {
  const outgoing = httpRequest({ port, host: '127.0.0.1', path, headers, agent: false })
  outgoing.end()
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  answer.on('error', () => undefined)
  return answer
}
async function whole(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += String(chunk)
  return text
}
/** A client that writes exactly these bytes; resolves with all that came back until the peer closed or said `last`. */
async function raw(parts: (string | Buffer)[], last?: string): Promise<{ text: string; socket: Socket }> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  const done = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (last !== undefined && text.includes(last)) resolve()
    })
    socket.on('close', () => resolve()).on('error', () => resolve())
  })
  for (const part of parts) socket.write(part)
  await done
  return { text, socket }
}
const head = (path: string, extra: string) =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${annWrites.cookie}\r\nX-CSRF-Token: csrf-ann\r\n${extra}\r\n`

/** Endless, and like a real one asleep between events until the signal wakes it. */
function ticking(
  state: { closed: boolean; sent: number },
  every: number,
  text = '',
): (signal: AbortSignal) => AsyncIterable<StreamEvent> {
  return async function* (signal) {
    try {
      for (let n = 1; !signal.aborted; n++) {
        state.sent = n
        yield { id: n, event: 'tick', data: { n, text } }
        await sleep(every, undefined, { signal }).catch(() => undefined)
      }
    } finally {
      state.closed = true
    }
  }
}

it('writes an event stream, without an Accept header, and ends it when the source ends', async () => {
  fixture.switches.events = async function* () {
    yield { event: 'snapshot', data: { n: 0, text: 'a\nb' } }
    await sleep(100)
    yield { id: 7, event: 'tick', data: { n: 7 } }
  }
  const answer = await open('/api/events')
  expect(answer.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'private, no-cache, no-store',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  })
  const text = await whole(answer)
  expect(text.replaceAll(': ping\n\n', '')).toBe(
    'retry: 3000\n\nevent: snapshot\ndata: {"n":0,"text":"a\\nb"}\n\nid: 7\nevent: tick\ndata: {"n":7}\n\n',
  )
  expect(text.match(/: ping/g)!.length).toBeGreaterThanOrEqual(1)
})

it('lets go of the source when the client leaves', async () => {
  const state = { closed: false, sent: 0 }
  fixture.switches.events = ticking(state, 1_000_000)
  const answer = await open('/api/events')
  await until(() => state.sent === 1)
  answer.destroy()
  await until(() => state.closed)
  expect(fixture.switches.signals[0]!.aborted).toBe(true)
})

it('returns the iterator of a source that does not look at the signal', async () => {
  let returned = 0
  const never: AsyncIterator<StreamEvent> = {
    next: () => new Promise(() => undefined),
    return: async () => (returned++, { done: true, value: undefined }),
  }
  fixture.switches.events = () => ({ [Symbol.asyncIterator]: () => never })
  const answer = await open('/api/events')
  answer.destroy()
  await until(() => returned > 0)
  await sleep(60)
  expect(returned).toBe(1)
})

it('takes no further event for a client that does not read, and cuts it off', async () => {
  const state = { closed: false, sent: 0 }
  fixture.switches.events = ticking(state, 0, 'x'.repeat(100_000))
  const answer = await open('/api/events')
  answer.pause()
  answer.socket.pause()
  await until(() => state.closed)
  expect(state.sent).toBeLessThan(200)
})

it('ends the stream when the session ends', async () => {
  const state = { closed: false, sent: 0 }
  fixture.switches.events = ticking(state, 1_000_000)
  const answer = await open('/api/events')
  await until(() => state.sent === 1)
  fixture.switches.revoked.add('ann')
  await whole(answer)
  expect(state.closed).toBe(true)
})

it('tells nobody anything whose session is in doubt, and ends the stream at once when it has ended', async () => {
  await fixture.server[Symbol.asyncDispose]()
  fixture = await openFixture({ streamTiming: { heartbeat: 1_000_000, recheck: 1_000_000, slowClient: 200 } })
  ;({ port } = await fixture.server.listen())
  let tell = () => undefined as void
  fixture.switches.events = async function* () {
    yield { id: 1, event: 'tick', data: { n: 1 } }
    await new Promise<void>((resolve) => (tell = resolve))
    yield { id: 2, event: 'tick', data: { n: 2 } }
  }
  const answer = await open('/api/events')
  await until(() => fixture.switches.doubts.size === 1)
  const [doubt] = fixture.switches.doubts
  fixture.switches.revoked.add('ann')
  doubt!()
  tell()
  const text = await whole(answer)
  expect(text).toContain('id: 1\n')
  expect(text).not.toContain('id: 2\n')
  expect(fixture.switches.doubts.size).toBe(0)
})

it('asks once for all streams of a session, and lets go of it with the last one', async () => {
  const states = [1, 2, 3].map(() => ({ closed: false, sent: 0 }))
  const answers = []
  for (const state of states) {
    fixture.switches.events = ticking(state, 1_000_000)
    answers.push(await open('/api/events'))
  }
  await until(() => states.every(({ sent }) => sent === 1))
  expect(fixture.switches.doubts.size).toBe(1)
  const before = fixture.switches.checks.length
  await until(() => fixture.switches.checks.length > before + 2)
  expect(new Set(fixture.switches.checks)).toEqual(new Set([1]))
  for (const answer of answers) answer.destroy()
  await until(() => states.every(({ closed }) => closed))
  expect(fixture.switches.doubts.size).toBe(0)
})

it('logs a source that fails or breaks the contract, and ends the stream', async () => {
  fixture.switches.events = async function* () {
    yield { event: 'tick', data: { n: 'one' } }
  }
  expect(await whole(await open('/api/events'))).not.toContain('tick')
  expect(lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual(['event stream failed'])
})

it('closes at once with open streams and idle connections, and waits for requests in flight', async () => {
  const state = { closed: false, sent: 0 }
  fixture.switches.events = ticking(state, 1_000_000)
  const stream = await open('/api/events')
  const slow = raw([`GET /api/slow HTTP/1.1\r\nHost: x\r\n\r\n`])
  await until(() => fixture.switches.release !== null && state.sent === 1)
  const started = Date.now()
  let closed = false
  const closing = fixture.server[Symbol.asyncDispose]().then(() => (closed = true))
  await whole(stream)
  await sleep(150)
  expect(closed).toBe(false)
  expect(fixture.switches.signals[1]!.aborted).toBe(false)
  fixture.switches.release!()
  expect((await slow).text).toMatch(/^HTTP\/1.1 200/)
  await closing
  expect(Date.now() - started).toBeLessThan(1500)
})

it('refuses new requests while it stops, on connections that are still open', async () => {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString()))
  socket.write('GET /api/slow HTTP/1.1\r\nHost: x\r\n\r\n')
  await until(() => fixture.switches.release !== null)
  const closing = fixture.server[Symbol.asyncDispose]()
  expect((await raw(['GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'])).text).toBe('')
  socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n')
  await sleep(50)
  fixture.switches.release!()
  await closing
  await until(() => socket.closed)
  expect(text).toMatch(/^HTTP\/1.1 200 OK[^]*HTTP\/1.1 503 [^]*"code":"stopping"/)
})

it('cuts requests off that outlast the close', async () => {
  await fixture.server[Symbol.asyncDispose]()
  fixture = await openFixture({ closeWithin: 200 })
  ;({ port } = await fixture.server.listen())
  const slow = raw([`GET /api/slow HTTP/1.1\r\nHost: x\r\n\r\n`])
  await until(() => fixture.switches.release !== null)
  await fixture.server[Symbol.asyncDispose]()
  expect((await slow).text).toBe('')
  fixture.switches.release!()
})

it('tells a handler that its client has left', async () => {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET /api/slow HTTP/1.1\r\nHost: x\r\n\r\n`)
  await until(() => fixture.switches.release !== null)
  expect(fixture.switches.signals[0]!.aborted).toBe(false)
  socket.destroy()
  await until(() => fixture.switches.signals[0]!.aborted)
  fixture.switches.release!()
})

it('counts a body that does not say how long it is, and still answers', async () => {
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 120), Buffer.from('\r\n')])
  const upload = await raw(
    [head('/api/upload', 'Transfer-Encoding: chunked\r\n'), chunk, chunk, chunk, '0\r\n\r\n'],
    '"code"',
  )
  expect(upload.text).toMatch(/^HTTP\/1.1 413[^]*payload_too_large/)
  upload.socket.destroy()
  const many = Array<Buffer>(20).fill(chunk)
  const body = await raw(
    [head('/api/items', 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n'), ...many, '0\r\n\r\n'],
    '"code"',
  )
  expect(body.text).toMatch(/^HTTP\/1.1 413/)
  // The connection is still in order: what follows the refused body is the next request.
  body.socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const [answer] = (await once(body.socket, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1.1 200/)
})

it('refuses a body that announces too much before reading it', async () => {
  const { text, socket } = await raw([head('/api/upload', 'Content-Length: 100001\r\n'), 'x'], '"code"')
  expect(text).toMatch(/^HTTP\/1.1 413/)
  expect(fixture.switches.uploaded).toBe(0)
  socket.destroy()
})

it('streams a body to its handler, which may stop reading and still answer', async () => {
  const send = (size: number) =>
    fetch(`http://127.0.0.1:${port}/api/upload`, {
      method: 'POST',
      headers: { ...annWrites, 'content-type': 'image/png' },
      body: Buffer.alloc(size),
    })
  expect(await (await send(100_000)).json()).toEqual({ size: 100_000, content_type: 'image/png' })
  fixture.switches.uploaded = 0
  fixture.switches.stopUploadAt = 1
  expect((await send(100_000)).status).toBe(400)
  fixture.switches.stopUploadAt = Infinity
  fixture.switches.uploaded = 0
  expect(await (await send(0)).json()).toEqual({ size: 0, content_type: 'image/png' })
})

it('takes a client that leaves in the middle of a body for what it is', async () => {
  const socket = connect(port, '127.0.0.1')
  socket.write(`${head('/api/items', 'Content-Type: application/json\r\nContent-Length: 100\r\n')}{"na`)
  await sleep(50)
  socket.destroy()
  await until(() => lines.some(({ message }) => message === 'client left'))
  expect(lines.filter(({ level }) => level === 'error')).toEqual([])
})

it('answers what is not HTTP with a bare 400', async () => {
  expect((await raw(['nonsense\r\n\r\n'])).text).toMatch(/^HTTP\/1.1 400 Bad Request/)
  expect((await raw([`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`])).text).toMatch(/^HTTP\/1.1 431/)
})

it('breaks the connection when a file is shorter than announced', async () => {
  expect(await whole(await open('/api/file/a.txt'))).toBe('abcdef')
  fixture.switches.fileLacks = 3
  await expect(open('/api/file/a.txt').then(whole)).rejects.toThrow('aborted')
  expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1)
})
