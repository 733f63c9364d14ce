import type { RequestListener } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import type { ModuleHost } from '../server/modules/supervision/module-host.ts'
import { closeHosts, run } from './stage/modules/hostile-module.ts'
import { mcp, remoteSpec, serve } from './stage/servers/remote-server.ts'
import { toolRequest } from './stage/tool-request.ts'
import { until } from './stage/wait.ts'

type Since = ReadonlyMap<string, number>

afterEach(closeHosts)

/** A module that each person uses with an account of their own, and whose calls rest until `release`; it is reached once `reached`. */
async function personalModule(reached?: Promise<void>) {
  const resting: (() => void)[] = []
  const readings: ((since: Since) => void)[] = []
  const greetings: string[] = []
  const good = mcp()
  const listener: RequestListener = (request, response) => {
    const method = String(request.headers['mcp-method'])
    if (method === 'tools/list') greetings.push(method)
    if (method !== 'tools/call') return good(request, response)
    // Who is gone by then is not answered.
    resting.push(() => response.destroyed || good(request, response))
  }
  const server = await serve(listener)
  const remote = remoteSpec(server.url)
  const spec = {
    ...remote,
    personal: {
      lister: 'usr_admin',
      opening: () => ({ open: (signal: AbortSignal) => Promise.resolve(reached).then(() => remote.open(signal)) }),
      since: () => new Promise<Since>((resolve) => void readings.push(resolve)),
    },
  }
  const { host } = await run([spec])
  await host.started('far')
  greetings.length = 0
  return {
    host,
    spec,
    greetings,
    /** The next reading of when somebody has connected, once it was begun: it says this when it is told to. */
    async reading() {
      await until(() => readings.length > 0, { what: 'it is read when the person has connected' })
      return readings.shift()!
    },
    async rests(count: number) {
      await until(() => resting.length === count, { what: `${count} calls are under way` })
    },
    release: () => resting.splice(0).forEach((go) => go()),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const hello = (host: ModuleHost, user_id: string) =>
  host.call(toolRequest('far', 'hello', {}, { user_id }), new AbortController().signal, () => undefined)

describe('what was read before a line was opened', () => {
  test.each<[string, Since]>([
    ['of an earlier connection', new Map([['ann', 1]])],
    ['of a time without one', new Map()],
  ])('does not close it: %s', async (_when, stale) => {
    await using far = await personalModule()
    const slow = hello(far.host, 'ann')
    const before = await far.reading()
    const quick = hello(far.host, 'ann')
    const after = await far.reading()
    after(new Map([['ann', 2]]))
    await far.rests(1)
    before(stale)
    const again = await far.reading()
    again(new Map([['ann', 2]]))
    await far.rests(2)
    far.release()
    expect(await Promise.all([slow, quick])).toMatchObject([{ status: 'done' }, { status: 'done' }])
    expect(far.greetings).toHaveLength(1)
  })

  test('does not close that of somebody who connected meanwhile', async () => {
    await using far = await personalModule()
    const ann = hello(far.host, 'ann')
    ;(await far.reading())(new Map([['ann', 1]]))
    await far.rests(1)
    // Something of the module changes, and the lines are looked at.
    far.host.apply([far.spec])
    const looking = await far.reading()
    const ben = hello(far.host, 'ben')
    ;(await far.reading())(new Map([['ben', 2]]))
    await far.rests(2)
    looking(new Map([['ann', 1]]))
    const once = hello(far.host, 'ben')
    ;(await far.reading())(new Map([['ben', 2]]))
    await far.rests(3)
    far.release()
    expect(await Promise.all([ann, ben, once])).toMatchObject([
      { status: 'done' },
      { status: 'done' },
      { status: 'done' },
    ])
    expect(far.greetings).toHaveLength(2)
  })
})

test('a line that is replaced while it is opened is used by no call', async () => {
  const gate = Promise.withResolvers<void>()
  await using far = await personalModule(gate.promise)
  const first = hello(far.host, 'ann')
  const before = await far.reading()
  const second = hello(far.host, 'ann')
  const after = await far.reading()
  before(new Map([['ann', 1]]))
  after(new Map([['ann', 2]]))
  // The second call finds a line that it did not read of, and replaces it with its own.
  ;(await far.reading())(new Map([['ann', 2]]))
  gate.resolve()
  // The first call looks once more before anything is sent.
  ;(await far.reading())(new Map([['ann', 2]]))
  await far.rests(2)
  far.release()
  expect(await Promise.all([first, second])).toMatchObject([{ status: 'done' }, { status: 'done' }])
})
