import { once } from 'node:events'
import { request } from 'node:http'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type ReadinessCheck, readiness } from '../server/operation/readiness.ts'
import { quoted } from '../server/kernel/sentence.ts'
import { startTestApp } from './stage/app.ts'
import { startProcess } from './stage/process.ts'
import { until } from './stage/wait.ts'

const TOKEN = 'a-collector-with-a-token'
const NAMES = ['draining', 'database', 'wake_ups', 'migrations', 'store', 'space']
const AS_COLLECTOR = { headers: { authorization: `Bearer ${TOKEN}` } }

test('everybody learns whether it is ready, administrators and the collector by which checks', async () => {
  await using app = await startTestApp({ env: { REEVE_METRICS_TOKEN: TOKEN } })
  const admin = await app.as('admin')
  const ann = await app.as('ann')
  const all = Object.fromEntries(NAMES.map((name) => [name, 'ok']))
  const ready = async (answer: Promise<Response>) => (await answer).json()
  expect(await ready(fetch(`${app.url}/readyz`))).toEqual({ status: 'ok' })
  expect(await ready(ann.fetch('/readyz'))).toEqual({ status: 'ok' })
  expect(await ready(admin.fetch('/readyz'))).toEqual({ status: 'ok', checks: all })
  expect(await ready(fetch(`${app.url}/readyz`, AS_COLLECTOR))).toEqual({ status: 'ok', checks: all })

  // What a newer version has added harms nobody; what it has taken away does.
  const { write } = app.app.db
  const add = (name: string, kind: string) =>
    sql`insert into migration (name, at, kind) values (${name}, 1, ${kind})`.execute(write)
  await add('9998-more', 'expand')
  expect((await fetch(`${app.url}/readyz`)).status).toBe(200)
  await add('9999-less', 'contract')
  const refused = await fetch(`${app.url}/readyz`)
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(await refused.json()).toEqual({
    type: 'about:blank',
    title: 'The service is not ready',
    status: 503,
    detail: 'The database does not have the tables that this version needs.',
    code: 'not_ready',
  })
  expect(await ready(fetch(`${app.url}/readyz`, AS_COLLECTOR))).toMatchObject({
    code: 'not_ready',
    checks: { ...all, migrations: 'failed' },
  })
})

test('a check that does not answer has failed, and costs nobody more than its time', async () => {
  let asked = 0
  const check = (name: string, holds: ReadinessCheck['holds']): ReadinessCheck => ({
    name,
    problem: quoted(`${name} does not hold.`),
    holds,
  })
  const changes: (readonly string[])[] = []
  let away = true
  const ready = readiness(
    [
      check('first', () => true),
      check('second', () => (asked++, away ? new Promise<boolean>(() => undefined) : true)),
      check('third', () => Promise.reject(new Error('gone'))),
    ],
    (failed) => changes.push(failed),
  )
  const [one, other] = await Promise.all([ready(), ready()])
  expect(asked).toBe(1)
  expect(other).toBe(one)
  expect(one.checks).toEqual({ first: 'ok', second: 'failed', third: 'failed' })
  expect(one.problem?.message).toBe('second does not hold.')
  away = false
  expect((await ready()).problem?.message).toBe('third does not hold.')
  await ready()
  expect(changes).toEqual([['second', 'third'], ['third']])
})

test('whether it is alive is answered without database and store, whoever asks', async () => {
  await using app = await startTestApp()
  const admin = await app.as('admin')
  await app.app.db[Symbol.asyncDispose]()
  for (const path of ['/livez', '/healthz']) {
    const answer = await admin.fetch(path)
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }])
  }
  expect((await admin.fetch('/readyz')).status).toBe(503)
})

test('told to stop it is first not ready, serves on while a balancer notices, and then closes', async () => {
  await using service = await startProcess({ env: { REEVE_DRAIN: '300', REEVE_METRICS_TOKEN: TOKEN } })
  const client = await service.as('admin')
  const exited = service.kill('SIGTERM')
  const ready = await until(
    async () => {
      const answer = await fetch(`${service.url}/readyz`, AS_COLLECTOR)
      return answer.status === 503 && answer
    },
    { what: 'it is not ready' },
  )
  expect(await ready.json()).toMatchObject({
    code: 'not_ready',
    detail: 'The service is stopping.',
    checks: { draining: 'failed', database: 'ok', store: 'ok' },
  })
  expect((await fetch(`${service.url}/livez`)).status).toBe(200)
  expect((await client.fetch('/api/chat/conversations')).status).toBe(200)
  // Connections are not kept for a next request. (fetch hides this header.)
  const raw = request(`${service.url}/livez`, { headers: { connection: 'keep-alive' } }).end()
  const [answer] = (await once(raw, 'response')) as [import('node:http').IncomingMessage]
  answer.resume()
  expect(answer.headers.connection).toBe('close')
  // Whoever does not want to wait says so again, a second later.
  const again = setInterval(() => process.kill(service.pid, 'SIGTERM'), 200)
  expect(await exited).toBe(1)
  clearInterval(again)
}, 60_000)
