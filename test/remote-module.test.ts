import type { RequestListener } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import type { ModuleHost } from '../server/modules/supervision/module-host.ts'
import { closeHosts, run } from './stage/modules/hostile-module.ts'
import { stoppedClock } from './stage/modules/module-workshop.ts'
import { mcp, remoteSpec, serve } from './stage/servers/remote-server.ts'
import { toolRequest } from './stage/tool-request.ts'
import { until } from './stage/wait.ts'
import { saying } from './stage/saying.ts'

afterEach(closeHosts)

const TOKEN = 'far-away-token'
const hello = (host: ModuleHost) =>
  host.call(toolRequest('far', 'hello'), new AbortController().signal, () => undefined)

describe('a remote module', () => {
  test('works like any other, with its token sent to it', async () => {
    await using server = await serve(mcp())
    const { host } = await run([remoteSpec(server.url, { token: TOKEN })])
    const { protocol, isolation, process: none, tools } = await host.started('far')
    expect([protocol?.era, protocol?.server, isolation?.level, none]).toEqual([
      '2026-07-28',
      'remote 2.0.0',
      'remote',
      null,
    ])
    expect(tools).toMatchObject([{ name: 'hello', pin: 'new' }])
    expect(await hello(host)).toMatchObject({ status: 'done', text: 'hello from afar' })
    expect(await host.ping('far', new AbortController().signal)).toBeGreaterThan(0)
    expect(new Set(server.seen.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${TOKEN}`]))
  })
  test('on this machine or a private network is refused unless that was allowed', async () => {
    await using server = await serve(mcp())
    const { host } = await run([remoteSpec(server.url, { allow_private: false })])
    await expect(host.started('far')).rejects.toThrow(/leads to this machine or to a private network/)
    expect(server.seen).toEqual([])
  })
  test('that is not there is tried again, for as long as it takes', async () => {
    const server = await serve(mcp())
    await server[Symbol.asyncDispose]()
    const time = stoppedClock()
    const { host } = await run([remoteSpec(server.url)], { clock: time.clock, chance: () => 0 })
    for (let starts = 1; starts <= 7; starts++) {
      const [pause = 0] = await until(() => time.pauses().length > 0 && time.pauses())
      expect(host.runtime('far')).toMatchObject({
        state: 'retrying',
        problem: saying('cannot be reached'),
      })
      expect(pause).toBe(Math.min(1000 * 2 ** (starts - 1), 60_000))
      time.advance(pause)
      await until(() => host.runtime('far')?.last_exits.length === starts + 1)
    }
  })
  test('that goes away is noticed at the next call, and comes back', async () => {
    const time = stoppedClock()
    let up = true
    const answer = mcp()
    await using server = await serve((request, response) => (up ? answer(request, response) : request.socket.destroy()))
    const { host } = await run([remoteSpec(server.url)], { clock: time.clock })
    await host.started('far')
    up = false
    expect(await hello(host)).toMatchObject({ status: expect.stringMatching(/failed|unknown/) })
    await until(() => time.pauses().length > 0)
    expect(host.runtime('far')?.state).toBe('retrying')
    up = true
    time.advance(2000)
    await until(() => host.runtime('far')?.state === 'running')
    expect(await hello(host)).toMatchObject({ status: 'done' })
  })
})

describe('a remote server that is wrong', () => {
  const status =
    (code: number): RequestListener =>
    (_request, response) =>
      response.writeHead(code).end(TOKEN)
  test.each<[string, RequestListener, RegExp]>([
    ['404', status(404), /HTTP 404/],
    ['500', status(500), /HTTP 500/],
    ['401', status(401), /rejects the token/],
    ['a page', (_q, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hi</h1>'), /./],
    ['nonsense', (_q, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a"'), /./],
    ['silence', () => undefined, /did not answer/],
    [
      'a redirect to a private address',
      (_q, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
      /./,
    ],
    [
      'a flood',
      (_q, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const more = () => {
          while (!response.destroyed && response.write('[1,2,3,'.repeat(50_000)));
        }
        response.on('drain', more)
        more()
      },
      /larger than|did not answer/,
    ],
  ])('%s', async (_what, listener, problem) => {
    await using server = await serve(listener)
    const { host } = await run([remoteSpec(server.url, { token: TOKEN })], { start_ms: 1500 })
    const error = await host.started('far').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'ModuleStartError', message: expect.stringMatching(problem) })
    expect(JSON.stringify([host.runtime('far'), String(error)])).not.toContain(TOKEN)
  })
  test('a redirect to another server does not get the token', async () => {
    await using other = await serve(mcp())
    await using server = await serve((_request, response) => response.writeHead(307, { location: other.url }).end())
    const { host } = await run([remoteSpec(server.url, { token: TOKEN })], { start_ms: 1500 })
    await host.started('far').catch(() => undefined)
    expect(server.seen.length).toBeGreaterThan(0)
    expect(other.seen).toEqual([])
  })
})
