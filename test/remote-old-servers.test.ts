import { afterEach, describe, expect, test } from 'vitest'
import type { ModuleHost } from '../server/modules/supervision/module-host.ts'
import { readHeaders } from '../server/modules/spec/own-headers.ts'
import { closeHosts, run } from './stage/modules/hostile-module.ts'
import { eventServer, sessionServer } from './stage/servers/old-servers.ts'
import { mcp, remoteSpec, serve } from './stage/servers/remote-server.ts'
import { toolRequest } from './stage/tool-request.ts'
import { saying } from './stage/saying.ts'
import { until } from './stage/wait.ts'

afterEach(closeHosts)

const use = (host: ModuleHost, tool: string) =>
  host.call(toolRequest('far', tool), new AbortController().signal, () => undefined)

describe('a server with one stream of events', () => {
  test('is reached the old way when it does not take what is posted to it', async () => {
    const old = eventServer()
    await using server = await serve(old.listener)
    const headers = new Map([['x-key', 'value-of-the-key']])
    const { host } = await run([remoteSpec(server.url, { token: 'far-away-token', headers })])
    const { protocol, tools } = await host.started('far')
    expect([protocol?.server, tools.map(({ name }) => name)]).toEqual(['old 1.0.0', ['hello', 'write']])
    expect(await use(host, 'hello')).toMatchObject({ status: 'done', text: 'hello from long ago' })
    const sent = server.seen.map(({ headers: seen }) => [seen.authorization, seen['x-key']])
    expect(new Set(sent.map(String))).toEqual(new Set(['Bearer far-away-token,value-of-the-key']))
  })
  test('whose stream ends is connected anew, and nothing is repeated', async () => {
    const old = eventServer()
    await using server = await serve(old.listener)
    const { host } = await run([remoteSpec(server.url)])
    await host.started('far')
    const [first] = old.streams.values()
    first!.end()
    await until(() => host.runtime('far')?.state === 'retrying')
    await host.started('far')
    expect(await use(host, 'hello')).toMatchObject({ status: 'done' })
    expect(old.calls).toEqual(['hello'])
    expect(old.streams.size).toBe(2)
  })
  test('that names an address elsewhere to post to is refused, and nothing is sent there', async () => {
    await using other = await serve(mcp())
    const old = eventServer({ endpoint: () => other.url })
    await using server = await serve(old.listener)
    const { host } = await run([remoteSpec(server.url, { token: 'far-away-token' })], { start_ms: 20_000 })
    await expect(host.started('far')).rejects.toThrow(/HTTP 405/)
    expect(other.seen).toEqual([])
  })
  test('that floods its stream with one event without an end is cut off', async () => {
    await using server = await serve((request, response) => {
      if (request.method !== 'GET') return void response.writeHead(405).end()
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('event: endpoint\ndata: ')
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(1 << 20)));
      }
      response.on('drain', more)
      more()
    })
    const { host } = await run([remoteSpec(server.url)], { start_ms: 20_000 })
    await expect(host.started('far')).rejects.toThrow(/HTTP 405/)
  })
})

describe('a session that the server has forgotten', () => {
  test.each([404, 400] as const)('is opened anew, and the call is made in it (HTTP %s)', async (status) => {
    const sessions = sessionServer({ status })
    await using server = await serve(sessions.listener)
    const { host } = await run([remoteSpec(server.url)])
    await host.started('far')
    sessions.forget()
    const results = await Promise.all([use(host, 'write'), use(host, 'write')])
    expect(results).toMatchObject([{ status: 'done', text: 'write in a session' }, { status: 'done' }])
    // Both found out, one of them connected.
    expect([sessions.calls, sessions.opened()]).toEqual([['write', 'write'], 1])
    expect(host.runtime('far')).toMatchObject({ state: 'running', last_exits: [] })
  })
  test('is opened anew too when the module itself is asked something', async () => {
    const sessions = sessionServer()
    await using server = await serve(sessions.listener)
    const { host } = await run([remoteSpec(server.url)])
    await host.started('far')
    sessions.forget()
    const { signal } = new AbortController()
    const pings = await Promise.all([host.ping('far', signal), host.ping('far', signal)])
    expect(pings.every((ms) => ms > 0)).toBe(true)
    expect(sessions.opened()).toBe(1)
    expect(host.runtime('far')).toMatchObject({ state: 'running', last_exits: [] })
  })
  test.each([
    'There is no session 12 to write to.',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"The training session is full"}}',
  ])('is not what a refusal is about that only has the word in it: %s', async (refusal) => {
    const sessions = sessionServer({ refusal })
    await using server = await serve(sessions.listener)
    const { host } = await run([remoteSpec(server.url)])
    await host.started('far')
    expect(await use(host, 'write')).toMatchObject({ status: 'failed', text: expect.stringContaining('HTTP 400') })
    expect(sessions.calls).toEqual(['write'])
  })
  test('a call that may have begun is unknown and never repeated', async () => {
    const sessions = sessionServer()
    await using server = await serve(sessions.listener)
    const { host } = await run([remoteSpec(server.url)])
    await host.started('far')
    sessions.breakCalls()
    expect(await use(host, 'write')).toMatchObject({ status: 'unknown' })
    expect(sessions.calls).toEqual(['write'])
  })
})

test('the level of the log is told over connections of persons too, and told again when it changes', async () => {
  const sessions = sessionServer()
  await using server = await serve(sessions.listener)
  const opening = remoteSpec(server.url)
  const since = (ids: readonly string[]) => Promise.resolve(new Map(ids.map((id) => [id, 1])))
  const spec = { ...opening, log_level: 'debug' as const, personal: { lister: null, opening: () => opening, since } }
  const { host } = await run([spec])
  await host.started('far')
  const pins = new Map(host.runtime('far')!.tools.map(({ name, definition_hash }) => [name, definition_hash]))
  host.apply([{ ...spec, pins }])
  const request = { ...toolRequest('far', 'hello'), user_id: 'user_of_far' }
  expect(await host.call(request, new AbortController().signal, () => undefined)).toMatchObject({ status: 'done' })
  expect(sessions.levels).toEqual(['debug', 'debug'])
  host.apply([{ ...spec, pins, log_level: 'error' }])
  await until(() => sessions.levels.length === 4)
  expect(sessions.levels.slice(2)).toEqual(['error', 'error'])
})

describe('headers of one’s own', () => {
  test('are sent with every request, to the server alone, and masked in what it says', async () => {
    const secret = 'value-of-the-key'
    await using other = await serve(mcp())
    const good = mcp()
    let moved = false
    await using server = await serve((request, response) =>
      moved ? void response.writeHead(307, { location: other.url }).end() : good(request, response),
    )
    const headers = new Map([
      ['x-key', secret],
      ['authorization', 'Basic dXNlcjpwYXNz'],
    ])
    const { host } = await run([remoteSpec(server.url, { headers })])
    await host.started('far')
    const sent = server.seen.map((seen) => `${String(seen.headers['x-key'])} ${seen.headers.authorization}`)
    expect(new Set(sent)).toEqual(new Set([`${secret} Basic dXNlcjpwYXNz`]))
    moved = true
    await use(host, 'hello')
    expect(JSON.stringify(other.seen.map((seen) => seen.headers))).not.toMatch(/value-of-the-key|Basic/)
    expect(JSON.stringify(host.runtime('far'))).not.toContain(secret)
  })
  test.each<[string, string]>([
    ['no colon here', 'Line 1 is no header: write “Name: value”.'],
    ['X-A: 1\nBad Name: x', 'The name of the header in line 2 is not allowed.'],
    ['Host: other', 'Reeve sets the header Host itself.'],
    ['mcp-session-id: stolen', 'Reeve sets the header mcp-session-id itself.'],
    ['X-A: \u0007', 'The value of the header X-A is empty, or has characters that no header can hold.'],
    ['X-A:', 'The value of the header X-A is empty, or has characters that no header can hold.'],
    ['X-A: 1\nx-a: 2', 'The header x-a is there twice.'],
  ])('%j is refused', (text, why) => {
    expect(readHeaders(text)).toEqual(saying(why))
  })
  test('are read by name, with what is around them left out', () => {
    expect(readHeaders('  X-Key :  a b \r\n\r\nAuthorization: Token t:1')).toEqual(
      new Map([
        ['x-key', 'a b'],
        ['authorization', 'Token t:1'],
      ]),
    )
  })
})
