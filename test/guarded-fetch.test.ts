import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { addressKind } from '../server/kernel/network/address-kind.ts'
import { type GuardedFetchOptions, openGuardedFetch } from '../server/kernel/network/guarded-fetch.ts'

async function serve(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function get(url: string, options: Partial<GuardedFetchOptions> = {}, init: RequestInit = {}) {
  await using guarded = openGuardedFetch({ allowPrivate: true, ...options })
  const answer = await guarded.fetch(url, init)
  return { status: answer.status, url: answer.url, redirected: answer.redirected, text: await answer.text() }
}

describe('addresses', () => {
  test.each([
    ['93.184.216.34', 'public'],
    ['2606:4700::1111', 'public'],
    ['::ffff:93.184.216.34', 'public'],
    ['64:ff9b::5db8:d822', 'public'],
    ['127.0.0.1', 'private'],
    ['10.1.2.3', 'private'],
    ['172.31.0.1', 'private'],
    ['192.168.0.1', 'private'],
    ['100.64.0.1', 'private'],
    ['169.254.1.1', 'private'],
    ['0.0.0.0', 'private'],
    ['::1', 'private'],
    ['::', 'private'],
    ['fe80::1%eth0', 'private'],
    ['fd00::1', 'private'],
    ['::ffff:127.0.0.1', 'private'],
    ['::ffff:7f00:1', 'private'],
    ['64:ff9b::7f00:1', 'private'],
    ['2002:7f00:1::', 'private'],
    ['::127.0.0.1', 'private'],
    ['169.254.169.254', 'never'],
    ['::ffff:169.254.169.254', 'never'],
    ['fd00:ec2::254', 'never'],
    ['224.0.0.1', 'never'],
    ['ff02::1', 'never'],
    ['localhost', 'never'],
  ])('%s is %s', (address, kind) => expect(addressKind(address)).toBe(kind))

  test.each(['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '127.1', 'localhost'])(
    '%s is refused in whatever spelling',
    async (host) => {
      await using server = await serve((_request, response) => response.end('secret'))
      await expect(get(`http://${host}:${server.port}/`, { allowPrivate: false })).rejects.toMatchObject({
        code: 'forbidden_address',
      })
    },
  )
  test('the metadata address is refused even where private ones are allowed', async () => {
    await expect(get('http://169.254.169.254/latest')).rejects.toMatchObject({ code: 'forbidden_address' })
  })
  test('a name is judged by the address that is connected to, which is resolved once', async () => {
    await using server = await serve((_request, response) => response.end('inside'))
    let asked = 0
    const rebinding = () => Promise.resolve([{ address: asked++ === 0 ? '93.184.216.34' : '127.0.0.1', family: 4 }])
    await using guarded = openGuardedFetch({ allowPrivate: false, lookup: rebinding, connect_ms: 50 })
    await guarded.fetch(`http://rebind.test:${server.port}/`).catch(() => undefined)
    expect(asked).toBe(1)
    await expect(guarded.fetch(`http://rebind.test:${server.port}/`)).rejects.toMatchObject({
      code: 'forbidden_address',
    })
  })
  test('a list of hosts may be opened', async () => {
    await using server = await serve((request, response) => response.end(request.headers.host))
    const lookup = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }])
    const options = { lookup, allowPrivate: (host: string) => host === 'nas.test' }
    expect((await get(`http://nas.test:${server.port}/`, options)).text).toBe(`nas.test:${server.port}`)
    await expect(get(`http://other.test:${server.port}/`, options)).rejects.toMatchObject({ code: 'forbidden_address' })
  })
  test.each(['file:///etc/passwd', 'gopher://x', 'data:text/plain,x', 'http://user:pass@example.org/', 'nonsense'])(
    '%s is no address to fetch',
    async (url) => expect(get(url)).rejects.toMatchObject({ code: 'bad_address' }),
  )
})

describe('redirects', () => {
  test('go along, without what says who asks when they lead elsewhere', async () => {
    const seen: Record<string, unknown>[] = []
    await using other = await serve((request, response) => {
      seen.push({ method: request.method, ...request.headers })
      response.end('there')
    })
    await using server = await serve((_request, response) =>
      response.writeHead(302, { location: `${other.url}/end` }).end(),
    )
    const headers = { authorization: 'Bearer s3cret', 'x-api-key': 's3cret', cookie: 'a=b', accept: 'text/html' }
    const answer = await get(server.url, {}, { method: 'POST', body: 'x', headers })
    expect(answer).toMatchObject({ text: 'there', redirected: true, url: `${other.url}/end` })
    expect(seen[0]).toMatchObject({ method: 'GET', accept: 'text/html' })
    expect(JSON.stringify(seen)).not.toMatch(/s3cret|a=b/)
  })
  test('are judged anew, and limited', async () => {
    await using inside = await serve((_request, response) => response.end('inside'))
    await using server = await serve((request, response) =>
      response.writeHead(302, { location: request.url === '/loop' ? '/loop' : inside.url }).end(),
    )
    const lookup = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }])
    const allowPrivate = (host: string) => host === 'front.test'
    const front = `http://front.test:${server.port}`
    await expect(get(`${front}/`, { lookup, allowPrivate })).rejects.toMatchObject({ code: 'forbidden_address' })
    await expect(get(`${front}/loop`, { lookup, allowPrivate })).rejects.toMatchObject({ code: 'redirects' })
    expect(await get(`${front}/loop`, { lookup, allowPrivate }, { redirect: 'manual' })).toMatchObject({ status: 302 })
  })
  test('to another scheme are refused', async () => {
    await using server = await serve((_request, response) =>
      response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    )
    await expect(get(server.url)).rejects.toMatchObject({ code: 'bad_address' })
  })
})

describe('limits', () => {
  test('of size hold for what is unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000))
    await using server = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    )
    await expect(get(server.url, { maxBytes: 1_000_000 })).rejects.toThrow('larger than')
    expect((await get(server.url)).text.length).toBe(5_000_000)
  })
  test('of time hold for a server that says nothing', async () => {
    await using server = await serve(() => undefined)
    await expect(get(server.url, { headers_ms: 50 })).rejects.toMatchObject({ code: 'timeout' })
  })
  test('nobody there is a sentence', async () => {
    const server = await serve(() => undefined)
    await server[Symbol.asyncDispose]()
    await expect(get(server.url)).rejects.toThrow(`127.0.0.1:${server.port} cannot be reached: ECONNREFUSED.`)
  })
})
