import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect } from 'vitest'
import { contract } from '../../../contract/index.ts'
import { openAudit } from '../../../server/accounts/audit/audit.ts'
import type { Reader } from '../../../server/db/database.ts'
import { startTestApp, type TestApp } from '../app.ts'
import { openBareDatabase } from './bare-database.ts'
import { begin, command, decide, say } from '../chat-stage.ts'
import { ProblemAnswer, type TestClient } from '../client.ts'
import { PASSWORD } from '../people.ts'
import type { TestDatabase } from '../servers/postgres.ts'
import { expectClosed, linesIn, readRun } from '../run-ledger.ts'
import { startScriptedModel, type ScriptedRequest, type ScriptedStep } from '../servers/scripted-model.ts'
import { until } from '../wait.ts'

/** More failures than this in a row, and no person would be patient enough. */
const PATIENCE = 12

/** Something that goes wrong once, at a place of its own choosing. */
export interface Fault {
  /** From now on: it strikes at the n-th occasion. */
  arm(n: number): void
  /** From now on it does not strike. */
  disarm(): void
  /** What it struck since it was armed; empty when the n-th occasion never came. */
  readonly struck: readonly string[]
}

/** Text and two calls, one that reads and one that writes and is asked about; then the end. */
function script(request: ScriptedRequest): ScriptedStep[] {
  const last = request.messages.at(-1)
  if (last?.role === 'tool') return [{ text: 'Both ' }, { text: 'are done.' }]
  const file = /^append to (.+)$/m.exec(JSON.stringify(last?.content).replaceAll('"', '\n'))?.[1]
  if (file === undefined) return [{ text: 'Fine.' }]
  return [
    { text: 'I look and write.' },
    { calls: [{ name: 'system.host', arguments: {} }, command(`echo line >> ${file}`)] },
  ]
}

/** What a fault of the database looks like from outside. */
const PASSING: readonly string[] = ['internal', 'storage_full', 'storage_unavailable']

/** Does it again, as a person would, until the service takes it. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ProblemAnswer) || !PASSING.includes(error.code) || attempt > PATIENCE) throw error
      // What the database said stays on the server.
      expect(error.problem.detail).not.toMatch(/I\/O|insert|update|commit/i)
    }
  }
}

async function signIn(service: Service, address: string): Promise<TestClient> {
  const client = service.anonymous()
  const headers = { 'x-forwarded-for': address }
  const { csrf_token } = await client.call(contract.accounts.login, {
    body: { username: 'admin', password: PASSWORD },
    headers,
  })
  client.csrfToken = csrf_token
  return client
}

/** Waits until the run rests; whatever lost its driver is taken up again, as the service does every 15 s. */
async function rest({ app, look }: Service, run_id: string): Promise<string> {
  return until(
    async () => {
      await app.chat.runner.recover().catch(() => undefined)
      const { status } = (await readRun(look, run_id)).run
      return status === 'thinking' || status === 'acting' ? null : status
    },
    { what: 'the run rests' },
  )
}

/** Sign-in, message, two calls, a card, its approval, the answer; returns false when no fault was met on the way. */
async function story(service: Service, fault: Fault, n: number): Promise<boolean> {
  const { look } = service
  const file = join(service.dataFolder, `written-${randomUUID()}`)
  const { newest } = await look
    .selectFrom('event')
    .select(({ fn }) => fn.max('id').as('newest'))
    .executeTakeFirstOrThrow()

  fault.arm(n)
  const client = await insist(() => signIn(service, `10.0.${n >> 8}.${n & 255}`))
  const message = `append to ${file}`
  const key = randomUUID()
  const { run_id, conversation_id } = await insist(() =>
    begin(client, message, { headers: { 'idempotency-key': key } }),
  )
  let status = await rest(service, run_id)
  if (status === 'waiting_approval') {
    expect(linesIn(file)).toBe(0)
    const pending = await insist(() => client.call(contract.chat.listApprovals, { query: { status: 'pending' } }))
    const card = pending.items.find((item) => item.run_id === run_id)
    expect(card).toBeDefined()
    const approve = () => decide(client, card!.approval_id, 'approve', { headers: { prefer: 'respond-async' } })
    const decided = await insist(approve)
    expect(decided.approval.status).toBe('approved')
    status = await rest(service, run_id)
    expect((await insist(approve)).approval.status).toBe('approved')
  }
  const met = fault.struck.length > 0
  fault.disarm()

  const { run, calls, cards, events } = await expectClosed(look, run_id)
  const [read, write] = calls
  const lines = linesIn(file)
  expect(lines).toBeLessThanOrEqual(1)
  if (lines === 1) {
    expect(
      cards.filter((card) => card.status === 'approved' && card.tool_call_id === write?.tool_call_id),
    ).toHaveLength(1)
    expect(write?.status).toMatch(/^(done|unknown)$/)
  }
  if (write?.status === 'done') expect(lines).toBe(1)
  if (run.status === 'done') expect([read?.status, write?.status]).toEqual(['done', 'done'])
  else expect(met).toBe(true)
  // Nothing that was acknowledged is lost, and nothing that was sent again is there twice.
  const keyed = await look.selectFrom('run').select('run_id').where('idempotency_key', '=', key).execute()
  expect(keyed).toEqual([{ run_id }])
  const { messages } = await client.call(contract.chat.conversation, { params: { conversation_id } })
  expect(messages[0]?.parts).toEqual([{ index: 0, type: 'text', text: message }])
  expect(messages).toHaveLength(2)
  expect(events[0]!.id).toBeGreaterThan(newest ?? 0)
  expect(await say(client, 'And now?', { conversation_id })).toMatchObject({ answer: 'Fine.' })
  return met
}

export interface StoryOptions {
  /** Sees every statement of the service before it runs, and may fail it. */
  readonly observe?: (statement: string) => void
  /** The URL by which the service reaches the database at `url`, when it is another. */
  readonly wayTo?: (url: string) => Promise<string>
}

interface Service extends TestApp {
  /** The same database by another connection: what the test looks up is no statement of the service. */
  readonly look: Reader
}

async function openService(database: TestDatabase, options: StoryOptions): Promise<Service> {
  const opened = new AsyncDisposableStack()
  const model = opened.use(await startScriptedModel(script))
  const url = await database.url()
  const way = (await options.wayTo?.(url)) ?? url
  const own = { name: database.name, url: () => Promise.resolve(way) }
  const env = { REEVE_TRUST_PROXY: '127.0.0.1' }
  const service = opened.use(await startTestApp({ database: own, model, env, observe: options.observe }))
  const { db: look } = opened.use(await openBareDatabase(url, service.dataFolder))
  const client = await service.as('admin')
  // Answers once the modules are up.
  await client.call(contract.chat.listTools)
  return { ...service, look, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/**
 * Lives through a story in the real service (sign-in, message, two calls, a card, its approval, the answer) again and
 * again, with `fault` striking at a later occasion each time, until it is never met. Whatever happens, nothing
 * acknowledged is lost, and nothing is left open or done twice. Returns how many times it was told.
 */
export async function walkStory(
  database: TestDatabase,
  fault: Fault,
  options: StoryOptions & { stride: number },
): Promise<number> {
  await using service = await openService(database, options)
  let n = 1
  for (; ; n += options.stride) {
    const met = await story(service, fault, n).catch((error: unknown) => {
      throw new Error(`After fault ${n}: ${fault.struck.join(' | ')}`, { cause: error })
    })
    if (!met) break
  }
  expect(await openAudit(service.app.db, Date.now).verify()).toMatchObject({ ok: true })
  return n
}
