import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openAudit } from '../server/accounts/audit.ts'
import type { Reader } from '../server/db/database.ts'
import { openBareDatabase } from './bare-database.ts'
import { startTestApp, type TestApp } from './app.ts'
import { begin, command, decide, say } from './chat-stage.ts'
import { ProblemAnswer, type TestClient } from './client.ts'
import { PASSWORD } from './people.ts'
import { databases, type TestDatabase } from './postgres.ts'
import { expectClosed, linesIn, readRun } from './run-ledger.ts'
import { startScriptedModel, type ScriptedRequest, type ScriptedStep } from './scripted-model.ts'
import { until } from './wait.ts'

const WRITE = /^\s*(insert|update|delete|commit)\b/i
const ANY = /^/
/** More faults than this in a row, and no retry that a person makes by hand would be patient enough. */
const PATIENCE = 12

interface Fault {
  /** Which statements are counted, and fail. */
  readonly kind: RegExp
  /** The first that fails, from 1. */
  readonly n: number
  /** How many fail, from there on. */
  readonly count: number
}

function openFault() {
  let left = Infinity
  let count = 0
  let kind = WRITE
  const failed: string[] = []
  return {
    failed,
    arm(next: Fault): void {
      failed.length = 0
      left = next.n
      ;({ kind, count } = next)
    },
    disarm(): void {
      left = Infinity
    },
    observe(statement: string): void {
      if (!kind.test(statement) || --left > 0 || failed.length >= count) return
      failed.push(statement)
      throw new Error('the disk is full (a fault of the test)')
    },
  }
}

/** Text and two calls, one that reads and one that writes and is asked about; then the end. */
function script(request: ScriptedRequest): ScriptedStep[] {
  const last = request.messages.at(-1)
  if (last?.role === 'tool') return [{ text: 'Both ' }, { text: 'are done.' }]
  const file = /^append to (.+)$/m.exec(JSON.stringify(last?.content).replaceAll('"', '\n'))?.[1]
  if (file === undefined) return [{ text: 'Fine.' }]
  return [{ text: 'I look and write.' }, { calls: [{ name: 'system.host', arguments: {} }, command(`echo line >> ${file}`)] }]
}

/** Does it again, as a person would, until the service takes it. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ProblemAnswer) || error.code !== 'internal' || attempt > PATIENCE) throw error
      expect(error.problem.detail).not.toMatch(/disk|insert|update|commit/i)
    }
  }
}

async function signIn(service: Service, address: string): Promise<TestClient> {
  const client = service.anonymous()
  const headers = { 'x-forwarded-for': address }
  const { csrf_token } = await client.call(contract.accounts.login, { body: { username: 'admin', password: PASSWORD }, headers })
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
async function story(service: Service, next: Fault): Promise<boolean> {
  const { fault, look } = service
  const file = join(service.dataFolder, `written-${randomUUID()}`)
  const { newest } = await look
    .selectFrom('event')
    .select(({ fn }) => fn.max('id').as('newest'))
    .executeTakeFirstOrThrow()

  fault.arm(next)
  const client = await insist(() => signIn(service, `10.${next.count}.${next.n >> 8}.${next.n & 255}`))
  const message = `append to ${file}`
  const key = randomUUID()
  const { run_id, conversation_id } = await insist(() => begin(client, message, { headers: { 'idempotency-key': key } }))
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
  const met = fault.failed.length > 0
  fault.disarm()

  const { run, calls, cards, events } = await expectClosed(look, run_id)
  const [read, write] = calls
  const lines = linesIn(file)
  expect(lines).toBeLessThanOrEqual(1)
  if (lines === 1) {
    expect(cards.filter((card) => card.status === 'approved' && card.tool_call_id === write?.tool_call_id)).toHaveLength(1)
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

interface Service extends TestApp {
  readonly fault: ReturnType<typeof openFault>
  /** The same database by another connection: what the test looks up is no statement of the service. */
  readonly look: Reader
}

async function openService(database: TestDatabase): Promise<Service> {
  const opened = new AsyncDisposableStack()
  const fault = openFault()
  const model = opened.use(await startScriptedModel(script))
  const url = await database.url()
  const own = { name: database.name, url: () => Promise.resolve(url) }
  const env = { REEVE_TRUST_PROXY: 'true' }
  const service = opened.use(await startTestApp({ database: own, model, env, observe: fault.observe }))
  const { db: look } = opened.use(await openBareDatabase(url, service.dataFolder))
  await service.as('admin')
  await service.app.chat.ports.tools.ready()
  return { ...service, fault, look, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** Walks through the story, failing at a later place each time, until it is never met. */
async function walk(database: TestDatabase, kind: RegExp, count: number, stride: number): Promise<void> {
  await using service = await openService(database)
  const { fault, app } = service
  let n = 1
  for (; ; n += stride) {
    const met = await story(service, { kind, n, count }).catch((error: unknown) => {
      throw new Error(`After failing ${n}: ${fault.failed.join(' | ')}`, { cause: error })
    })
    if (!met) break
  }
  // The whole story was walked through: fewer would mean that the faults missed it.
  expect(n).toBeGreaterThan(40)
  expect(await openAudit(app.db, Date.now).verify()).toMatchObject({ ok: true })
}

describe.each(databases)('statements that fail on $name', (database) => {
  // On PostgreSQL a story takes several times as long, and the program is the same: there a sample has to do.
  const sample = database.name === 'sqlite' ? 1 : 3

  test('whichever write fails, nothing acknowledged is lost and nothing is left open or done twice', { timeout: 90_000 }, () =>
    walk(database, WRITE, 1, sample))

  // A prime, because the story repeats itself in small steps.
  test('nor whichever statement fails, reads as well', { timeout: 90_000 }, () => walk(database, ANY, 1, 1))

  // Each costs the waits between the attempts to give up.
  test('when writes go on failing until even giving up fails, the next round ends the run', { timeout: 90_000 }, () =>
    walk(database, WRITE, 8, 5 * sample))
})
