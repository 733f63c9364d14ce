import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NetworkGrant, NetworkRefusal } from '../server/modules/process/network-grant.ts'
import { openNetworkProxy, type NetworkProxy } from '../server/modules/process/network-proxy.ts'
import { isolationWorks, LEVELS, openStage } from './stage/modules/sandbox-stage.ts'

let server: Server
let port = 0

beforeAll(async () => {
  server = createServer((request, reply) => {
    void (async () => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      reply.end(`${request.method} ${request.url} ${request.headers.host} ${body.length}`)
    })()
  }).listen(0, '0.0.0.0')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

describe.skipIf(!isolationWorks)('a module in a sandbox that was granted hosts', () => {
  let stage: Awaited<ReturnType<typeof openStage>>
  beforeAll(async () => {
    stage = await openStage('isolated')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('reaches them with fetch, and no other', async () => {
    const agent = await stage.start({ grants: { network: ['127.0.0.1', '*.example.com'] } })
    expect(agent.link.isolation.reason.toString()).toContain('the network only to 127.0.0.1, *.example.com')
    expect(await agent.ask('fetch', { url: `http://127.0.0.1:${port}/a?b=c` })).toEqual({
      status: 200,
      text: `GET /a?b=c 127.0.0.1:${port} 0`,
    })
    const posted = agent.ask('fetch', { url: `http://127.0.0.1:${port}/`, method: 'POST', body: 'x'.repeat(200_000) })
    expect(await posted).toMatchObject({ text: expect.stringContaining(' 200000') as unknown })
    for (const host of ['127.0.0.2', 'localhost', 'example.org']) {
      const answer = await agent.ask('fetch', { url: `http://${host}:${port}/` })
      expect({ host, text: String(answer) }).not.toMatchObject({ text: expect.stringContaining('GET') as unknown })
      expect({ host, answer }).not.toMatchObject({ answer: { status: 200 } })
    }
    // Past the proxy there is nothing.
    expect(await agent.ask('connect', { port })).toBe('Error: ECONNREFUSED')
    await agent.link.close()
    expect(await agent.link.gone).toMatchObject({ code: 0 })
  })

  test('ends as it would without', async () => {
    const agent = await stage.start({ grants: { network: ['127.0.0.1'] } })
    void agent.ask('exit', { code: 5 })
    expect(await agent.link.gone).toMatchObject({ code: 5, signal: null })
    const other = await stage.start({ grants: { network: ['127.0.0.1'] } })
    const { pid } = (await other.ask('self')) as { pid: number }
    void other.ask('kill', { pid, signal: 'SIGKILL' })
    expect(await other.link.gone).toMatchObject({ code: null, signal: 'SIGKILL' })
  })

  test('reaches everything where everything was granted', async () => {
    const agent = await stage.start({ grants: { network: 'any' } })
    expect(agent.link.isolation.reason.toString()).toContain('The network is open to it, as granted')
    expect(await agent.ask('fetch', { url: `http://127.0.0.1:${port}/` })).toMatchObject({ status: 200 })
  })
})

test('where only Node limits a module, granted hosts are no limit, and that is said', async () => {
  await using stage = await openStage(LEVELS.includes('restricted') ? 'restricted' : 'guarded')
  const agent = await stage.start({ grants: { network: ['example.com'] } })
  expect(agent.link.isolation.level).toBe('guarded')
  expect(agent.link.isolation.reason.toString()).toContain('network is not limited')
  expect(await agent.ask('fetch', { url: `http://127.0.0.1:${port}/` })).toMatchObject({ status: 200 })
})

describe('the proxy', () => {
  let folder = ''
  let proxy: NetworkProxy
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'reeve-proxy-'))
    proxy = await openNetworkProxy(join(folder, 'proxy.sock'), ['127.0.0.1'])
  })
  afterAll(() => {
    proxy.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Sends bytes and resolves with everything that comes back until the other end closes or `enough` is there. */
  async function say(bytes: string, enough = /\n\n$|[^]{400,}/): Promise<string> {
    const socket = createConnection(join(folder, 'proxy.sock'))
    let text = ''
    socket.write(bytes)
    for await (const chunk of socket) {
      text += String(chunk)
      if (enough.test(text)) break
    }
    socket.destroy()
    return text
  }

  test('makes tunnels to granted hosts', async () => {
    const ask = `CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\nGET /x HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n`
    expect(await say(ask)).toMatch(/^HTTP\/1.1 200 [^]*GET \/x h 0/)
  })

  test.each([
    ['another host', 'CONNECT 127.0.0.2:80 HTTP/1.1\r\n\r\n', /^HTTP\/1.1 403 [^]*was not granted/],
    ['an address in disguise', 'CONNECT 127.1:80 HTTP/1.1\r\n\r\n', /^HTTP\/1.1 403 /],
    ['another form of it', 'CONNECT [::ffff:127.0.0.1]:80 HTTP/1.1\r\n\r\n', /^HTTP\/1.1 403 /],
    ['no port', 'CONNECT 127.0.0.1 HTTP/1.1\r\n\r\n', /^HTTP\/1.1 400 /],
    ['a closed port', 'CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n', /^HTTP\/1.1 502 /],
    ['a path', 'GET /x HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n', /^HTTP\/1.1 400 /],
    ['another scheme', 'GET ftp://127.0.0.1/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', /^HTTP\/1.1 400 /],
    [
      'another host by the Host header',
      'GET http://127.0.0.2/ HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n',
      /^HTTP\/1.1 403 /,
    ],
    ['no HTTP', 'hello\r\n\r\n', /^HTTP\/1.1 400 |^$/],
  ])('refuses %s', async (_, bytes, answer) => {
    expect(await say(bytes)).toMatch(answer)
  })
})

describe('a grant of hosts', () => {
  test.each([
    [['api.example.com'], 'api.example.com', false],
    [['*.example.com'], 'example.com', true],
    [['*.example.com'], 'badexample.com', true],
    [['*.example.com'], 'example.com.evil.org', true],
    [['10.0.0.5'], '10.0.0.6', true],
    [['*.1'], '127.0.0.1', true],
    [['localhost'], 'localhost', true],
  ])('%o: %s is refused: %o', async (hosts, host, refused) => {
    const answer = new NetworkGrant(hosts).resolve(host)
    // Without a network, a granted name cannot be resolved, which is another error.
    if (refused) await expect(answer).rejects.toBeInstanceOf(NetworkRefusal)
    else await answer.catch((error: unknown) => expect(error).not.toBeInstanceOf(NetworkRefusal))
  })

  test('takes addresses as they were granted, in any case of letters', async () => {
    expect(await new NetworkGrant(['10.0.0.5', 'FE80::1']).resolve('10.0.0.5')).toEqual([
      { address: '10.0.0.5', family: 4 },
    ])
    expect(await new NetworkGrant(['FE80::1']).resolve('[fe80::1]')).toEqual([{ address: 'fe80::1', family: 6 }])
  })
})
