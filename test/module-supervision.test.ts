import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { say } from '../server/kernel/sentence.ts'
import { call, closeHosts, run } from './stage/modules/hostile-module.ts'
import { openWorkshop, stoppedClock } from './stage/modules/module-workshop.ts'
import { until } from './stage/wait.ts'
import { saying } from './stage/saying.ts'

let workshop: Awaited<ReturnType<typeof openWorkshop>>
beforeAll(async () => {
  workshop = await openWorkshop()
})
afterEach(closeHosts)
afterAll(() => workshop[Symbol.asyncDispose]())

/** What a promise has come to by now; null when to nothing. */
const now = <T>(promise: Promise<T>) => Promise.race([promise, Promise.resolve(null)])
const DIES = `on('tools/call', () => process.exit(7))`

describe('a module that goes away', () => {
  test('is started again after a pause that doubles, and is given up after five times', async () => {
    const time = stoppedClock()
    const spec = workshop.script(`process.exit(3)`)
    const { host } = await run([spec], { clock: time.clock, chance: () => 0 })
    const pauses: number[] = []
    for (let exits = 1; exits < 5; exits++) {
      const pause = await until(() => time.pauses()[0])
      await until(() => host.runtime('hostile')?.state === 'retrying')
      expect(host.runtime('hostile')).toMatchObject({ next_start_at: time.clock.now() + pause, restarts: exits - 1 })
      pauses.push(pause)
      time.advance(pause)
      await until(() => host.runtime('hostile')?.last_exits.length === exits + 1)
    }
    expect(pauses).toEqual([1000, 2000, 4000, 8000])
    expect(host.runtime('hostile')).toMatchObject({
      state: 'failed',
      restarts: 4,
      next_start_at: null,
      problem: saying('5 times'),
    })
    expect(host.runtime('hostile')?.last_exits[0]).toMatchObject({ code: 3 })
    expect(time.pauses()).toEqual([])
    // Only a person ends a crash loop.
    await expect(host.started('hostile')).rejects.toThrow(/./)
    expect(host.runtime('hostile')?.state).toBe('retrying')
  })
  test('gives an unknown outcome to the call in the middle of it, and comes back', async () => {
    const time = stoppedClock()
    const { host } = await run([workshop.script(DIES)], { clock: time.clock })
    await host.started('hostile')
    expect(await call(host, 'a')).toMatchObject({ status: 'unknown', text: expect.stringContaining('went away') })
    await until(() => time.pauses().length > 0)
    expect(host.runtime('hostile')).toMatchObject({ state: 'retrying', tools: [], process: null })
    expect(host.runtime('hostile')?.last_exits[0]).toMatchObject({ code: 7 })
    expect(host.list()).toEqual([])
    time.advance(1500)
    await until(() => host.runtime('hostile')?.state === 'running')
    expect(host.list().map(({ name }) => name)).toEqual(['a'])
    expect(host.runtime('hostile')?.state_history.map(({ state }) => state)).toEqual([
      'running',
      'starting',
      'retrying',
      'running',
      'starting',
    ])
  })
  test('of its own accord is noticed without a call', async () => {
    const time = stoppedClock()
    const spec = workshop.script('')
    const { host } = await run([spec], { clock: time.clock })
    const { process: running } = await host.started('hostile')
    process.kill(running!.pid, 'SIGKILL')
    await until(() => time.pauses().length > 0)
    expect(host.runtime('hostile')).toMatchObject({ state: 'retrying', last_exits: [{ signal: 'SIGKILL' }] })
  })
})

describe('a module that does not come up', () => {
  test('because it never answers is stopped at the deadline', async () => {
    const spec = workshop.script(`on('initialize', () => undefined)`)
    const { host } = await run([spec], { start_ms: 5000 })
    await expect(host.started('hostile')).rejects.toThrow('It did not answer within 5 s.')
    expect(await spec.links[0]!.gone).toBeTruthy()
  })
  test('because its tools never come is stopped at the deadline, and delays no other', async () => {
    const silent = workshop.script(`on('tools/list', () => undefined)`, {}, 'silent')
    const { host } = await run([silent, workshop.script('')], { start_ms: 5000 })
    await host.started('hostile')
    await expect(host.started('silent')).rejects.toThrow('its lists of tools and prompts did not arrive within 5 s')
  })
  test('what is prepared before its start does not count, and a slow phase is named', async () => {
    const { promise: prepared, resolve } = Promise.withResolvers<void>()
    const spec = workshop.script('', {
      prepare: async (_signal, tell) => {
        tell(say`Its files are large.`)
        await prepared
      },
    })
    using deadlines = vi.spyOn(AbortSignal, 'timeout')
    const { host } = await run([spec], { start_ms: 7321 })
    const started = host.started('hostile')
    await until(() => host.runtime('hostile')?.problem?.toString() === 'Its files are large.')
    expect(host.runtime('hostile')?.state).toBe('starting')
    // Its clock has not begun to run.
    expect(deadlines).not.toHaveBeenCalledWith(7321)
    resolve()
    expect(await started).toMatchObject({ state: 'running', problem: null })
    expect(deadlines).toHaveBeenCalledWith(7321)
  })
  test('because it cannot be prepared', async () => {
    const spec = workshop.script('', { prepare: () => Promise.reject(new Error('There is no bundle.')) })
    const { host } = await run([spec])
    await expect(host.started('hostile')).rejects.toThrow('There is no bundle.')
    expect(spec.links).toHaveLength(0)
  })
  test('says what it printed last, its secrets masked', async () => {
    const secret = 'hunter2-and-more'
    const source = `process.stderr.write('cannot open ' + process.env.KEY + '\\n' + Buffer.from('u:' + process.env.KEY).toString('base64') + '\\n', () => process.exit(1))`
    const spec = workshop.script(source, { secrets: [secret], env: { KEY: secret } })
    const { host } = await run([spec])
    const error = await host.started('hostile').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'ModuleStartError', stderr: [`cannot open [secret]`, expect.any(String)] })
    expect(JSON.stringify(host.runtime('hostile'))).not.toContain(Buffer.from(secret).toString('base64').slice(3, 15))
    expect(JSON.stringify([host.runtime('hostile'), error])).not.toContain(secret)
  })
  test('because there is no such program', async () => {
    const spec = workshop.script('', { open: () => Promise.reject(new Error('There is no program "nothing" here.')) })
    const { host } = await run([spec])
    await expect(host.started('hostile')).rejects.toThrow('There is no program "nothing" here.')
  })
})

describe('what should run', () => {
  test('a new fingerprint starts it anew, new pins do not', async () => {
    const spec = workshop.script('')
    const { host } = await run([spec])
    const first = await host.started('hostile')
    expect(first.tools).toMatchObject([{ name: 'a', pin: 'new' }])
    expect(host.find('hostile', 'a')?.agreed).toBe(false)
    const hash = first.tools[0]!.definition_hash
    host.apply([{ ...spec, pins: new Map([['a', hash]]) }])
    expect(host.find('hostile', 'a')?.agreed).toBe(true)
    host.apply([
      {
        ...spec,
        pins: new Map([
          ['a', 'other'],
          ['b', 'gone'],
        ]),
      },
    ])
    expect(host.find('hostile', 'a')?.agreed).toBe(false)
    expect(host.runtime('hostile')?.tools).toMatchObject([{ pin: 'changed' }, { name: 'b', pin: 'missing' }])
    expect(spec.links).toHaveLength(1)
    host.apply([{ ...spec, fingerprint: '2' }])
    expect(host.runtime('hostile')?.state).toBe('starting')
    const second = await host.started('hostile')
    expect([spec.links.length, second.process?.pid === first.process?.pid]).toEqual([2, false])
    expect(await spec.links[0]!.gone).toBeTruthy()
  })
  test('what is left out is stopped, and started again only when nothing of it is left', async () => {
    const spec = workshop.script('')
    const { host } = await run([spec])
    await host.started('hostile')
    host.apply([])
    expect([host.list(), host.runtime('hostile')]).toEqual([[], undefined])
    host.apply([spec])
    await host.started('hostile')
    expect(await now(spec.links[0]!.gone)).toMatchObject({ reason: saying(/./) })
    host.apply([])
    await host.stopped('hostile')
    expect(await now(spec.links[1]!.gone)).not.toBeNull()
  })
  test('two starts at once are one', async () => {
    const spec = workshop.script('')
    const { host } = await run([])
    host.apply([spec])
    host.apply([spec])
    await Promise.all([host.started('hostile'), host.started('hostile'), host.ready()])
    expect(spec.links).toHaveLength(1)
  })
  test('whoever listens is told of every change', async () => {
    const { host } = await run([])
    const states: unknown[] = []
    host.onChange((name) => states.push(host.runtime(name)?.state))
    host.apply([workshop.script('')])
    await host.started('hostile')
    host.apply([])
    expect(new Set(states)).toEqual(new Set(['starting', 'running', undefined]))
  })
  test('it answers a question that every server answers', async () => {
    const { host } = await run([workshop.script('')])
    await host.started('hostile')
    expect(await host.ping('hostile', new AbortController().signal)).toBeGreaterThan(0)
    await expect(host.ping('nobody', new AbortController().signal)).rejects.toThrow('No module named')
  })
})

describe('calls that are stopped', () => {
  const IGNORES = `on('tools/call', () => undefined)`
  test('a module that goes on regardless is stopped and started again', async () => {
    const spec = workshop.script(IGNORES)
    const { host } = await run([spec], { grace_ms: 200 })
    await host.started('hostile')
    const stop = new AbortController()
    const result = call(host, 'a', {}, stop.signal)
    await until(() => host.busy('hostile'))
    stop.abort()
    expect(await result).toMatchObject({ status: 'unknown' })
    await until(() => spec.links.length === 2)
    await host.started('hostile')
    expect(host.runtime('hostile')).toMatchObject({ state: 'running', restarts: 1, last_exits: [] })
  })
  test('a module that answers after all is left alone', async () => {
    const late = `let open; on('tools/call', (_p, { id }) => { open = id }); on('notifications/cancelled', () => send({ id: open, result: text('late') }))`
    const spec = workshop.script(late)
    // Long enough for its late answer, on a busy machine.
    const { host } = await run([spec], { grace_ms: 2000 })
    await host.started('hostile')
    const stop = new AbortController()
    const result = call(host, 'a', {}, stop.signal)
    await until(() => host.busy('hostile'))
    stop.abort()
    expect(await result).toMatchObject({ status: 'unknown' })
    const from = performance.now()
    await until(() => performance.now() - from > 2200)
    expect(spec.links).toHaveLength(1)
  })
})
