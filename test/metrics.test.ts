import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { Metrics } from '../server/operation/metrics/metrics.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { databases } from './stage/servers/postgres.ts'
import { skipReason } from './stage/skip-reason.ts'
import { startScriptedModel } from './stage/servers/scripted-model.ts'

const TOKEN = 'a-token-of-the-collector'
const COLLECTOR = { authorization: `Bearer ${TOKEN}` }

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
    app = await startTestApp({ database, model, env: { REEVE_METRICS_TOKEN: TOKEN } })
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
    const { status, text } = await get(app.url, COLLECTOR)
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
    expect(value('reeve_event_loop_delay_seconds', { percentile: '99' })).toBeGreaterThanOrEqual(0)
    expect(value('reeve_table_jobs_waiting')).toBe(0)
    expect(value('reeve_info')).toBe(1)
    expect(value('reeve_processes')).toBe(1)
    // Nothing that a person wrote, and no address with an id in it.
    expect(text).not.toMatch(/hello|usr_|cnv_|fil_|token=/)
  })

  test('are for administrators, and for a collector with the token of the settings; asking from this machine opens nothing', async () => {
    // A bare `proxy_pass` on this machine comes like this, for everybody.
    expect((await get(app.url, {})).status).toBe(401)
    expect((await get(app.url, { host: '127.0.0.1' })).status).toBe(401)
    for (const token of [`${TOKEN}x`, TOKEN.slice(1), ''])
      expect([token, (await get(app.url, { authorization: `Bearer ${token}` })).status]).toEqual([token, 401])
    const tokenOf = async (name: string, permissions?: string[]) => {
      const person = await app.as(name)
      const { token } = await person.call(contract.accounts.createToken, {
        body: { name: `t${permissions?.length ?? ''}`, ...(permissions && { permissions }) },
      })
      return { authorization: `Bearer ${token}` }
    }
    expect((await get(app.url, await tokenOf('admin'))).status).toBe(200)
    expect((await get(app.url, await tokenOf('anna'))).status).toBe(403)
    expect((await get(app.url, await tokenOf('admin', ['files.read']))).status).toBe(403)
  })

  test('pass the check of Prometheus, and tell of backup, disk, database and open files', async ({ skip }) => {
    const { write } = app.app.db
    const long = Date.now() - 7_200_000
    const value = JSON.stringify({ at: long, bytes: 1 })
    expect((await get(app.url, COLLECTOR)).text).not.toMatch(/^reeve_backup_age_seconds /m)
    await write.insertInto('setting').values({ key: 'last_backup', value, updated_at: long }).execute()
    const { text } = await get(app.url, COLLECTOR)
    const samples = parse(text)
    const of = (name: string) => samples.find((each) => each.name === `reeve_${name}`)?.value
    expect(of('backup_age_seconds')).toBeGreaterThanOrEqual(7200)
    expect(of('disk_bytes')).toBeGreaterThan(of('disk_free_bytes')!)
    expect(of('database_bytes')).toBeGreaterThan(10_000)
    expect(of('open_files')).toBeGreaterThan(3)
    expect(of('open_files_limit')).toBeGreaterThan(of('open_files')!)
    expect([of('storage_full'), of('passwords_waiting')]).toEqual([0, 0])
    const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
    if (checked.error) return skip(skipReason(NO_PROMTOOL)!)
    expect({ said: checked.stdout + checked.stderr, code: checked.status }).toEqual({ said: '', code: 0 })
  })
})

const NO_PROMTOOL = 'promtool is not installed (Debian: prometheus)'

/** Names of metrics that an expression asks for. */
const namesIn = (text: string) => new Set(text.match(/\breeve_[a-z_]+/g))

test('alerts and the dashboard ask only for what there is', async ({ skip }) => {
  const packaging = join(import.meta.dirname, '../packaging')
  const rules = join(packaging, 'prometheus/reeve-alerts.yaml')
  const source = await readFile(join(import.meta.dirname, '../server/operation/metrics/metrics.ts'), 'utf8')
  const known = new Set([...source.matchAll(/'(?:reeve_)?([a-z_]+)'/g)].map(([, name]) => `reeve_${name}`))
  const dashboard = JSON.parse(await readFile(join(packaging, 'grafana/reeve.json'), 'utf8')) as { panels: unknown[] }
  expect(dashboard.panels.length).toBeGreaterThan(10)
  const asked = namesIn((await readFile(rules, 'utf8')) + JSON.stringify(dashboard.panels))
  expect(asked.size).toBeGreaterThan(10)
  for (const name of asked) expect(known).toContain(name.replace(/_(bucket|sum|count)$/, ''))
  const checked = spawnSync('promtool', ['check', 'rules', rules], { encoding: 'utf8' })
  if (checked.error) return skip(skipReason(NO_PROMTOOL)!)
  expect({ said: checked.stderr, code: checked.status }).toEqual({ said: '', code: 0 })
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
