import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { ConfigError } from '../server/app/config-error.ts'
import { readConfig } from '../server/app/config.ts'
import { addressNetwork } from '../server/kernel/network/address-network.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { PASSWORD } from './stage/people.ts'

/** The address under which the service knows whoever signs in with these headers. */
async function addressSeen(app: TestApp, forwarded: string): Promise<string> {
  await app.as('admin')
  const client = app.anonymous()
  const { csrf_token } = await client.call(contract.accounts.login, {
    body: { username: 'admin', password: PASSWORD },
    headers: { 'x-forwarded-for': forwarded },
  })
  client.csrfToken = csrf_token
  const { items } = await client.call(contract.accounts.listSessions)
  return items.find(({ current }) => current)!.address
}

describe('of what a chain of proxies says, the last hop that is not trusted counts', () => {
  test.each([
    ['', '127.0.0.1'],
    ['192.0.2.1', '127.0.0.1'],
    ['127.0.0.1', '203.0.113.5'],
    ['127.0.0.0/8,203.0.113.0/24', '198.51.100.7'],
    ['1', '203.0.113.5'],
    ['2', '198.51.100.7'],
  ])('with REEVE_TRUST_PROXY=%s it is %s', async (setting, expected) => {
    await using app = await startTestApp({ env: { REEVE_TRUST_PROXY: setting } })
    expect(await addressSeen(app, '10.9.9.9, 198.51.100.7, 203.0.113.5')).toBe(expected)
  })

  test('a host that is forwarded is not believed, by whomever', async () => {
    await using app = await startTestApp({ env: { REEVE_TRUST_PROXY: '127.0.0.1' } })
    await app.as('admin')
    const sent = (headers: Record<string, string>) =>
      app.anonymous().fetch('/api/auth/login', {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'admin', password: PASSWORD }),
      })
    const evil = { origin: 'http://evil.example', 'x-forwarded-host': 'evil.example' }
    expect((await sent(evil)).status).toBe(403)
    expect((await sent({ origin: app.url, 'x-forwarded-host': 'evil.example' })).status).toBe(200)
  })
})

test.each([
  ['true', 'would believe every client'],
  ['127.0.0.1,true', 'would believe every client'],
  ['0.0.0.0/0', 'neither an address nor a network'],
  ['::/0', 'neither an address nor a network'],
  ['loopback', 'neither an address nor a network'],
  ['10.0.0.0/33', 'neither an address nor a network'],
  ['10.0.0.0/8;::1', 'neither an address nor a network'],
  ['11', 'more than 10 hops'],
  ['-1', 'neither an address nor a network'],
])('REEVE_TRUST_PROXY=%s stops the start with a sentence', (setting, why) => {
  const read = () => readConfig({ REEVE_TRUST_PROXY: setting })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(/^REEVE_TRUST_PROXY is not usable: [^\n]+ Name the proxies, such as [^\n]+\.$/)
  expect(read).toThrow(why)
})

test('a request that names two hosts is refused, whatever it asks for', async () => {
  await using app = await startTestApp()
  await app.as('admin')
  const { port } = new URL(app.url)
  for (const path of ['/healthz', '/login', '/api/auth/session', '/nowhere']) {
    const socket = connect(Number(port), '127.0.0.1')
    let answer = ''
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text))
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nhost: evil.example\r\n\r\n`)
    await once(socket, 'close')
    expect([path, answer.split('\r\n')[0]]).toEqual([path, 'HTTP/1.1 400 Bad Request'])
    expect(answer).toContain('"code":"many_hosts"')
  }
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:0DB8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
  ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['not an address', 'not an address'],
])('the network of %s is %s', (address, network) => {
  expect(addressNetwork(address)).toBe(network)
})
