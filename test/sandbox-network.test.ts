import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, createServer as createTcpServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NetworkGrant, NetworkRefusal } from '../server/modules/process/network-grant.ts'
import { openNetworkProxy, type NetworkProxy } from '../server/modules/process/network-proxy.ts'
import { tunnelsTo, hostsFile } from '../server/modules/process/network-tunnels.ts'
import { hostsIn, networkWithHosts } from '../server/modules/catalogue/settings/named-hosts.ts'
import { privateName } from './stage/servers/private-name.ts'
import { until } from './stage/wait.ts'
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
  }).listen(0)
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

describe.skipIf(!isolationWorks)('a module in a sandbox that was granted hosts', () => {
  let stage: Awaited<ReturnType<typeof openStage>>
  let name: string
  beforeAll(async () => {
    name = (await privateName()) ?? 'localhost'
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

  test('reaches a name on a private network that was granted as such, at the granted port, also without HTTP', async () => {
    const line = createTcpServer((socket) => socket.once('data', (text) => socket.end(`heard ${String(text)}`))).listen(
      0,
    )
    await once(line, 'listening')
    const at = (line.address() as AddressInfo).port
    const agent = await stage.start({ grants: { network: [`private:${name}:${at}`, `private:localhost:${at}`] } })
    expect(await agent.ask('exchange', { host: name, port: at, text: 'hello' })).toBe('heard hello')
    expect(await agent.ask('exchange', { host: 'localhost', port: at, text: 'again' })).toBe('heard again')
    expect(await agent.ask('fetch', { url: `http://${name}:${port}/` })).not.toMatchObject({ status: 200 })
    await agent.link.close()
    line.close()

    const whole = await stage.start({ grants: { network: [`private:${name}`] } })
    expect(await whole.ask('fetch', { url: `http://${name}:${port}/x` })).toMatchObject({ status: 200 })
    const open = await stage.start({ grants: { network: [name] } })
    expect(await open.ask('fetch', { url: `http://${name}:${port}/x` })).not.toMatchObject({ status: 200 })
    await Promise.all([whole, open].map(({ link }) => link.close()))
  })

  test('is told by its standard error why a tunnel leads nowhere', async () => {
    const agent = await stage.start({ grants: { network: [`${name}:4321`] } })
    expect(await agent.ask('exchange', { host: name, port: 4321, text: 'x' })).not.toContain('heard')
    await until(() => agent.link.stderr().some((line) => line.includes(`may not reach ${name.toLowerCase()}`)))
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
    [['private:localhost'], 'localhost', false],
    [['private:*.localhost'], 'localhost', true],
    [['api.example.com:8443'], 'api.example.com', true],
    [['api.example.com:443'], 'api.example.com', false],
    [['private:metadata.test'], '169.254.169.254', true],
  ])('%o: %s is refused: %o', async (hosts, host, refused) => {
    const answer = new NetworkGrant(hosts).resolve(host, 443)
    // Without a network, a granted name cannot be resolved, which is another error.
    if (refused) await expect(answer).rejects.toBeInstanceOf(NetworkRefusal)
    else await answer.catch((error: unknown) => expect(error).not.toBeInstanceOf(NetworkRefusal))
  })

  test('says what is missing', async () => {
    const asked = (granted: string, host: string) => new NetworkGrant([granted]).resolve(host, 80)
    await expect(asked('x.example:81', 'x.example')).rejects.toThrow('port 80 of x.example: another port was granted')
    await expect(asked('y.example', 'x.example')).rejects.toThrow('x.example: it was not granted')
    await expect(asked('localhost', 'localhost')).rejects.toThrow('Grant private:localhost to allow that')
  })

  test('takes addresses as they were granted, in any case of letters', async () => {
    expect(await new NetworkGrant(['10.0.0.5', 'FE80::1']).resolve('10.0.0.5', 80)).toEqual([
      { address: '10.0.0.5', family: 4 },
    ])
    expect(await new NetworkGrant(['FE80::1']).resolve('[fe80::1]', 80)).toEqual([{ address: 'fe80::1', family: 6 }])
  })
})

describe('tunnels', () => {
  test('lead names with a port to an address of the sandbox, each name to its own', () => {
    const hosts = [
      'db.example:5432',
      'private:DB.example:6379',
      'private:localhost:5432',
      'x.example:443',
      '*.y.example:99',
    ]
    const tunnels = tunnelsTo([...hosts, '10.0.0.5:5432', 'z.example', 'localhost:3128', 'w.example:3128'], 3128)
    expect(tunnels).toEqual([
      { host: 'db.example', port: 5432, address: '127.0.0.2' },
      { host: 'db.example', port: 6379, address: '127.0.0.2' },
      { host: 'localhost', port: 5432, address: '127.0.0.1' },
      { host: 'w.example', port: 3128, address: '127.0.0.3' },
    ])
    expect(hostsFile(tunnels)).toBe('127.0.0.1 localhost\n127.0.0.2 db.example\n127.0.0.3 w.example\n')
  })
})

describe('the host in a setting', () => {
  test.each([
    ['https://grafana.lan:3000/d?x=1#y', ['grafana.lan:3000']],
    ['https://api.example.com', ['api.example.com']],
    ['postgresql://me:p%40ss@db.lan/orders', ['db.lan:5432']],
    ['mongodb://a.lan,b.lan:27018/x', ['a.lan:27017', 'b.lan:27018']],
    ['host=db.lan port=5433 user=me', ['db.lan:5433']],
    ['Server=db.lan;Database=x', ['db.lan']],
    ['http://[fe80::1]:80/', ['[fe80::1]:80']],
    ['db.lan', ['db.lan']],
    ['db.lan:5432, 10.0.0.5', ['db.lan:5432', '10.0.0.5']],
    ['*.example.com', []],
    ['https://*.example.com/', []],
    ['private:db.lan', []],
    ['/var/run/x.sock', []],
    ['', []],
  ])('of %j is %j', (text, hosts) => {
    expect(hostsIn(text)).toEqual(hosts)
  })

  test('may be private where somebody entered it whole, not where it is a default or the bundle wrote it; of a secret it is known only with it', () => {
    const text = {
      type: 'string' as const,
      title: '',
      description: '',
      required: false,
      multiple: false,
      multiline: false,
    }
    const fields = [
      { ...text, key: 'url', sensitive: false, default: 'https://api.example.com' },
      { ...text, key: 'dsn', sensitive: true },
      { ...text, key: 'port', sensitive: false, default: 8080 },
    ]
    const network = [
      'x.example',
      '${user_config.url}',
      '${user_config.dsn}',
      'y.example:${user_config.port}',
      '${user_config.no}',
    ]
    const open = fields.filter(({ sensitive }) => !sensitive)
    const none = '${user_config.no}'
    expect(networkWithHosts(network, open, {})).toEqual([
      'x.example',
      'api.example.com',
      '${user_config.dsn}',
      'y.example:8080',
      none,
    ])
    expect(networkWithHosts(network, fields, {})).toEqual(['x.example', 'api.example.com', 'y.example:8080', none])
    const entered = { url: 'http://api.lan:1234', dsn: 'redis://:secret@cache.lan', port: 9090 }
    expect(networkWithHosts(network, fields, entered)).toEqual([
      'x.example',
      'private:api.lan:1234',
      'private:cache.lan:6379',
      'y.example:9090',
      none,
    ])
    expect(networkWithHosts(network, fields, { url: 'https://api.example.com' })).toContain('api.example.com')
    expect(networkWithHosts('any', fields, entered)).toBe('any')
  })
})
