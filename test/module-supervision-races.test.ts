import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ModuleLink } from '../server/modules/spec/module-link.ts'
import { call, closeHosts, run } from './stage/modules/hostile-module.ts'
import { openWorkshop } from './stage/modules/module-workshop.ts'
import { until } from './stage/wait.ts'

let workshop: Awaited<ReturnType<typeof openWorkshop>>
beforeAll(async () => {
  workshop = await openWorkshop()
})
afterEach(closeHosts)
afterAll(() => workshop[Symbol.asyncDispose]())

const SILENT = `on('initialize', () => undefined)`
const allGone = (links: readonly ModuleLink[]) => Promise.all(links.map(({ gone }) => gone))

describe('nothing is left behind', () => {
  test('when it is taken away in the middle of its start', async () => {
    const spec = workshop.script(SILENT)
    const { host } = await run([])
    host.apply([spec])
    const waiting = host.started('hostile').catch((error: unknown) => error)
    await until(() => spec.links.length === 1)
    host.apply([])
    expect(await waiting).toMatchObject({ name: 'ModuleStartError' })
    await host.stopped('hostile')
    await allGone(spec.links)
    expect(spec.links).toHaveLength(1)
  })
  test('when the host closes in the middle of a start', async () => {
    const spec = workshop.script(SILENT)
    const { host } = await run([])
    host.apply([spec])
    await until(() => spec.links.length === 1)
    await host[Symbol.asyncDispose]()
    expect(await allGone(spec.links)).toHaveLength(1)
  })
  test('when the process exists only after nobody wants it any more', async () => {
    const spec = workshop.script('')
    const entered = Promise.withResolvers<void>()
    const late = Promise.withResolvers<void>()
    const { host } = await run([])
    host.apply([
      {
        ...spec,
        open: async () => {
          entered.resolve()
          await late.promise
          return spec.open(new AbortController().signal)
        },
      },
    ])
    await entered.promise
    host.apply([])
    await host.stopped('hostile')
    late.resolve()
    await until(() => spec.links.length === 1)
    expect(await allGone(spec.links)).toHaveLength(1)
  })
  test('of many changes in a row but the last', async () => {
    const spec = workshop.script('')
    const { host } = await run([spec])
    for (const fingerprint of ['2', '3', '4', '5']) {
      host.apply([{ ...spec, fingerprint }])
      await Promise.resolve()
    }
    await host.started('hostile')
    await allGone(spec.links.slice(0, -1))
    expect(host.runtime('hostile')).toMatchObject({ state: 'running', last_exits: [] })
    expect(host.runtime('hostile')?.process?.pid).toBe(spec.links.at(-1)?.process()?.pid)
  })
})

test('a module that goes on with a stopped call is stopped once that harms no other call', async () => {
  const spec = workshop.script(`
    tools = [tool('stuck'), tool('slow'), tool('finish')]
    let open
    on('tools/call', ({ name, _meta }, { id }) => {
      send({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress: 1 } })
      if (name === 'slow') open = id
      if (name !== 'finish') return
      send({ id: open, result: text('slow is done') })
      return text('finished')
    })`)
  const { host } = await run([spec], { grace_ms: 50 })
  await host.started('hostile')
  const arrived = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const stop = new AbortController()
  const slow = call(host, 'slow', {}, undefined, () => arrived[0].resolve())
  const stuck = call(host, 'stuck', {}, stop.signal, () => arrived[1].resolve())
  await Promise.all(arrived.map(({ promise }) => promise))
  stop.abort()
  expect(await stuck).toMatchObject({ status: 'unknown' })
  const from = performance.now()
  await until(() => performance.now() - from > 200)
  expect(spec.links).toHaveLength(1)
  expect(await call(host, 'finish')).toMatchObject({ status: 'done' })
  expect(await slow).toMatchObject({ status: 'done', text: 'slow is done' })
  await until(() => spec.links.length === 2)
  await allGone(spec.links.slice(0, 1))
})

test('a module that promises to confirm and does not is stopped as well', async () => {
  const spec = workshop.script(`
    on('initialize', ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {}, experimental: { 'dev.reeve/settled': {} } }, serverInfo: { name: 's', version: '1' } }))
    on('tools/call', ({ _meta }) => void send({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress: 1 } }))`)
  const { host } = await run([spec], { grace_ms: 50 })
  await host.started('hostile')
  const stop = new AbortController()
  expect(await call(host, 'a', {}, stop.signal, () => stop.abort())).toMatchObject({ status: 'unknown' })
  await until(() => spec.links.length === 2)
})
