import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Problem } from '../contract/errors.ts'
import { openCertificates, type Certificates } from '../server/certificates/certificates.ts'
import { strictTransport } from '../server/http/answer/strict-transport.ts'
import { openTlsPort } from '../server/http/tls-port.ts'
import { openLog } from '../server/kernel/log.ts'
import { openFixture } from './stage/servers/http-fixture.ts'
import { httpsRequest, pemOf } from './stage/servers/https-request.ts'

/** First bytes of a handshake: a record that announces more than ever comes. */
const HALF_HANDSHAKE = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00])

let folder = ''
let certificates: Certificates
let trust = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reeve-port-'))
  certificates = await openCertificates({
    tls: { mode: 'local', names: [] },
    dataFolder: folder,
    log: openLog('silent'),
  })
  trust = pemOf(certificates.source!.authority!.raw)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function open() {
  const { server } = await openFixture({ tls: { ...certificates.pair!, local: true } })
  const { port } = await server.listen()
  const alive = async () => expect((await httpsRequest(`https://127.0.0.1:${port}/login`, { trust })).status).toBe(503)
  return { server, port, alive }
}

/** A reset is an end like any other. */
function closeOf(socket: Socket): Promise<void> {
  return new Promise((fulfil) => void socket.once('close', () => fulfil()))
}

/** What comes back for these bytes until the server closes the connection. */
async function exchange(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += String(chunk))).on('error', () => undefined)
  socket.write(bytes)
  await closeOf(socket)
  return text
}

async function silent(port: number, bytes?: Buffer): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  if (bytes) socket.write(bytes)
  return socket
}

describe('plain HTTP on the port of HTTPS', () => {
  test.each(['GET', 'HEAD'])('%s of a page is sent to the same address with https', async (method) => {
    const { server, port } = await open()
    await using _closing = server
    const answer = await exchange(port, `${method} /chat?c=1 HTTP/1.1\r\nHost: Reeve.example:8443\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 308 /)
    expect(answer).toMatch(/\r\nlocation: https:\/\/Reeve\.example:8443\/chat\?c=1\r\n/)
    expect(answer).toMatch(/\r\ncache-control: no-store\r\n/)
    expect(answer).not.toMatch(/set-cookie|strict-transport/i)
  })

  test.each([
    ['a password', 'POST /api/login HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"a":"b"}'],
    ['a token', 'GET /api/session HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer rvt_x\r\n\r\n'],
    ['a host that is none', 'GET / HTTP/1.1\r\nHost: a/@b\r\n\r\n'],
    ['an address of a proxy', 'GET http://b/ HTTP/1.1\r\nHost: b\r\n\r\n'],
    ['no host', 'GET / HTTP/1.0\r\n\r\n'],
  ])('%s is refused with a sentence that says what happened', async (_what, request) => {
    const { server, port } = await open()
    await using _closing = server
    const answer = await exchange(port, request)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).not.toMatch(/\r\nlocation:/)
    const problem = Problem.parse(JSON.parse(/\{.*\}/s.exec(answer)![0]))
    expect(problem).toMatchObject({ code: 'plain_http', detail: expect.stringContaining('without encryption') })
  })

  test('a large body does not hide the answer', async () => {
    const { server, port } = await open()
    await using _closing = server
    const sent = fetch(`http://127.0.0.1:${port}/api/items`, { method: 'POST', body: 'x'.repeat(4_000_000) })
    expect((await sent).status).toBe(400)
  })

  test('what is neither is closed without an answer', async () => {
    const { server, port, alive } = await open()
    await using _closing = server
    expect(await exchange(port, Buffer.from([0x80, 0x2e, 0x01, 0x00, 0x02]))).toBe('')
    expect(await exchange(port, Buffer.alloc(100_000, 0x61))).toBe('')
    const alert = await exchange(port, Buffer.concat([HALF_HANDSHAKE, Buffer.alloc(600)]))
    expect(alert).not.toContain('HTTP')
    await alive()
  })
})

describe('connections of HTTPS', () => {
  test('may come byte by byte', async () => {
    const { server, port } = await open()
    await using _closing = server
    const slow = createServer((client) => {
      const upstream = connect(port, '127.0.0.1').setNoDelay(true)
      for (const socket of [client, upstream]) socket.on('error', () => undefined)
      upstream.pipe(client)
      client.once('data', (chunk: Buffer) => {
        upstream.write(chunk.subarray(0, 1), () => upstream.write(chunk.subarray(1)))
        client.pipe(upstream)
      })
    }).listen(0, '127.0.0.1')
    await once(slow, 'listening')
    const url = `https://127.0.0.1:${(slow.address() as AddressInfo).port}/login`
    expect((await httpsRequest(url, { trust })).status).toBe(503)
    slow.close()
  })

  test('that never say anything, or stop in the handshake, disturb nobody and do not hold up the end', async () => {
    const { server, port, alive } = await open()
    const sockets = await Promise.all(
      Array.from({ length: 200 }, (_, at) => silent(port, at % 2 === 0 ? HALF_HANDSHAKE : undefined)),
    )
    await alive()
    const closed = Promise.all(sockets.map(closeOf))
    const started = performance.now()
    await server[Symbol.asyncDispose]()
    await closed
    expect(performance.now() - started).toBeLessThan(2000)
  })

  test('are ended when nothing comes for too long', async () => {
    const port = openTlsPort(certificates.pair!, 40)
    const server = port.open((_request, response) => response.end('here'), { keepAlive: 1000, request: 1000 })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port: number } = server.address() as AddressInfo
    const plain = Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n')
    for (const bytes of [undefined, HALF_HANDSHAKE, plain]) {
      const socket = await silent(number, bytes)
      await closeOf(socket.resume())
      expect(socket.bytesRead).toBe(0)
    }
    server.close()
  })
})

describe('the rule that makes browsers stay with HTTPS', () => {
  type Given = readonly [tls: 'local' | 'files' | 'off', publicUrl: string | null, protocol: string, hostname: string]
  const rule = ([tls, publicUrl, protocol, hostname]: Given) =>
    strictTransport({ tls, publicUrl })({ protocol, hostname }) !== null
  test.each([
    ['a certificate from outside', true, ['files', null, 'https', 'reeve.example']],
    ['a proxy that says so', true, ['off', 'https://reeve.example', 'https', 'reeve.example']],
    ['a proxy that says otherwise', false, ['off', 'https://reeve.example', 'http', 'reeve.example']],
    ['no public address', false, ['off', null, 'https', 'reeve.example']],
    ['the local authority', false, ['local', 'https://reeve.example', 'https', 'reeve.example']],
    ['an address', false, ['files', null, 'https', '10.0.0.5']],
    ['an IPv6 address', false, ['files', null, 'https', '[fd00::5]']],
    ['this machine', false, ['files', null, 'https', 'localhost']],
    ['a short name', false, ['files', null, 'https', 'attic']],
  ] as const)('%s: %s', (_what, expected, given) => {
    expect(rule(given)).toBe(expected)
  })
})
