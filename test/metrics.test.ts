import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { Metrics } from '../server/operation/metrics.ts'
import { startTestApp, type TestApp } from './app.ts'
import { databases } from './postgres.ts'
import { startScriptedModel } from './scripted-model.ts'

interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Reads the text format: every line is a comment or a sample, and every sample has a HELP and a TYPE before it. */
function parse(text: string): Sample[] {
  const described = new Set<string>()
  return text.split('\n').flatMap((line): Sample[] => {
    const comment = /^# (HELP|TYPE) (\w+) /.exec(line)
    if (comment) described.add(`${comment[1]} ${comment[2]}`)
    if (line === '' || comment) return []
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? ([\d.e+-]+|NaN|\+Inf)$/.exec(line) ?? []
    expect([line, name]).toEqual([line, expect.any(String)])
    const family = name!.replace(/_(bucket|sum|count)$/, '')
    expect([...described]).toEqual(expect.arrayContaining([`TYPE ${described.has(`TYPE ${name}`) ? name : family}`]))
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, each]) => [key!, each!] as const)
    return [{ name: name!, labels: Object.fromEntries(pairs), value: Number(value) }]
  })
}

/** Node's own request: fetch sets no Host header. */
async function get(url: string, headers: Record<string, string>): Promise<{ status: number; text: string }> {
  const asked = request(`${url}/metrics`, { headers })
  asked.end()
  const [answer] = (await once(asked, 'response')) as [import('node:http').IncomingMessage]
  let text = ''
  for await (const piece of answer) text += String(piece)
  return { status: answer.statusCode ?? 0, text }
}

describe.each(databases)('metrics on $name', (database) => {
  let app: TestApp
  let model: Awaited<ReturnType<typeof startScriptedModel>>
  beforeAll(async () => {
    model = await startScriptedModel(() => [{ text: 'Fine.' }, { usage: { prompt_tokens: 7, completion_tokens: 2 } }])
    app = await startTestApp({ database, model })
  })
  afterAll(async () => {
    await app[Symbol.asyncDispose]()
    await model[Symbol.asyncDispose]()
  })

  test('tell what happened: requests, runs, calls, the engine, the database, modules and files', async () => {
    const admin = await app.as('admin')
    await admin.call(contract.chat.send, { body: { message: 'hello' } })
    await admin.call(contract.chat.send, { body: { message: '/system.host {}' } })
    await admin.call(contract.files.upload, { headers: { 'x-file-name': 'a.txt' }, body: 'twelve bytes' })
    const { status, text } = await get(app.url, {})
    expect(status).toBe(200)
    const samples = parse(text)
    const value = (name: string, labels: Record<string, string> = {}) =>
      samples.find((each) => each.name === name && Object.entries(labels).every(([key, v]) => each.labels[key] === v))
        ?.value
    expect(value('reeve_http_request_seconds_count', { method: 'POST', route: '/api/chat', status: '200' })).toBe(2)
    expect(value('reeve_tool_call_seconds_count', { module: 'system', outcome: 'done' })).toBe(1)
    expect(value('reeve_engine_steps_total', { model: 'scripted', outcome: 'done' })).toBeGreaterThanOrEqual(1)
    expect(value('reeve_engine_first_piece_seconds_count', { model: 'scripted' })).toBeGreaterThanOrEqual(1)
    expect(value('reeve_engine_tokens_total', { model: 'scripted', kind: 'input' })).toBeGreaterThan(0)
    expect(value('reeve_database_statement_seconds_count')).toBeGreaterThan(10)
    expect(value('reeve_module_state', { module: 'system', state: 'running' })).toBe(1)
    expect(value('reeve_stored_file_bytes')).toBe(12)
    expect(value('reeve_memory_bytes', { kind: 'resident' })).toBeGreaterThan(1e7)
    expect(value('reeve_event_loop_delay_seconds', { quantile: '0.99' })).toBeGreaterThanOrEqual(0)
    expect(value('reeve_table_jobs_waiting')).toBe(0)
    expect(value('reeve_info')).toBe(1)
    // Nothing that a person wrote, and no address with an id in it.
    expect(text).not.toMatch(/hello|usr_|cnv_|fil_|token=/)
  })

  test('are for administrators, and for a collector on this machine that no proxy stands before', async () => {
    const forwarded = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via', 'x-forwarded-host', 'x-forwarded-proto']
    for (const name of forwarded)
      expect([name, (await get(app.url, { [name]: '127.0.0.1' })).status]).toEqual([name, 401])
    for (const host of ['reeve.example.com', 'localhost.example.com', '127.0.0.1.example.com', '10.0.0.1'])
      expect([host, (await get(app.url, { host })).status]).toEqual([host, 401])
    const headers = { 'x-forwarded-for': '10.1.1.1' }
    const tokenOf = async (name: string, permissions?: string[]) => {
      const person = await app.as(name)
      const { token } = await person.call(contract.accounts.createToken, {
        body: { name: `t${permissions?.length ?? ''}`, ...(permissions && { permissions }) },
      })
      return { ...headers, authorization: `Bearer ${token}` }
    }
    expect((await get(app.url, await tokenOf('admin'))).status).toBe(200)
    expect((await get(app.url, await tokenOf('anna'))).status).toBe(403)
    expect((await get(app.url, await tokenOf('admin', ['files.read']))).status).toBe(403)
  })
})

test('a label never grows without bound, and counting costs next to nothing', async () => {
  using metrics = new Metrics()
  for (let i = 0; i < 1000; i++) metrics.toolCall(`module-${i}`, 'done', 1)
  const text = await metrics.text()
  expect(new Set(parse(text).map(({ labels }) => labels['module'])).size).toBeLessThan(210)
  expect(text).toContain('module="other"')

  const best = Math.min(
    ...Array.from({ length: 5 }, () => {
      const started = performance.now()
      for (let i = 0; i < 10_000; i++) {
        metrics.request('GET', '/api/chat/history', 200, 3)
        // As many as a request of a list has.
        for (let j = 0; j < 3; j++) metrics.statement(0.1)
      }
      return ((performance.now() - started) * 1000) / 10_000
    }),
  )
  // Microseconds for a request.
  expect(best).toBeLessThan(20)
})
