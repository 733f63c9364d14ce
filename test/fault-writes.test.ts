import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openAudit } from '../server/accounts/audit.ts'
import { startTestApp, type TestApp } from './app.ts'
import { begin, command, decide, say } from './chat-stage.ts'
import { ProblemAnswer, type TestClient } from './client.ts'
import { PASSWORD } from './people.ts'
import { databases } from './postgres.ts'
import { expectClosed, linesIn, readRun } from './run-ledger.ts'
import { startScriptedModel, type ScriptedRequest, type ScriptedStep } from './scripted-model.ts'
import { until } from './wait.ts'

const WRITE = /^\s*(insert|update|delete|commit)\b/i
/** More faults than this in a row, and no retry that a person makes by hand would be patient enough. */
const PATIENCE = 12

/** Fails `count` writes from the n-th on, counted from when it is armed. */
function openFault() {
  let left = Infinity
  let count = 0
  const failed: string[] = []
  return {
    failed,
    arm(n: number, faults: number): void {
      failed.length = 0
      left = n
      count = faults
    },
    disarm(): void {
      left = Infinity
    },
    observe(statement: string): void {
      if (!WRITE.test(statement) || --left > 0 || failed.length >= count) return
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

/** Does it again, as a person would, until the service takes it. Says whether the first attempt was acknowledged. */
async function insist<T>(work: () => Promise<T>): Promise<{ value: T; acknowledged: boolean }> {
  for (let attempt = 1; ; attempt++) {
    try {
      return { value: await work(), acknowledged: attempt === 1 }
    } catch (error) {
      if (!(error instanceof ProblemAnswer) || error.code !== 'internal' || attempt > PATIENCE) throw error
      expect(error.problem.detail).not.toMatch(/disk|insert|update|commit/i)
    }
  }
}

async function signIn(service: TestApp, address: string): Promise<TestClient> {
  const client = service.anonymous()
  const headers = { 'x-forwarded-for': address }
  const { csrf_token } = await client.call(contract.accounts.login, { body: { username: 'admin', password: PASSWORD }, headers })
  client.csrfToken = csrf_token
  return client
}

/** Waits until the run rests; whatever lost its driver is taken up again, as the service does every 15 s. */
async function rest(service: TestApp, run_id: string): Promise<string> {
  return until(
    async () => {
      await service.app.chat.runner.recover().catch(() => undefined)
      const { run } = await readRun(service.app.db, run_id)
      return run.status === 'thinking' || run.status === 'acting' ? null : run.status
    },
    { what: 'the run rests' },
  )
}

/** Sign-in, message, two calls, a card, its approval, the answer; returns false when no fault was met on the way. */
async function story(service: TestApp, fault: ReturnType<typeof openFault>, n: number, faults: number): Promise<boolean> {
  const { db } = service.app
  const file = join(service.dataFolder, `written-${randomUUID()}`)
  const { newest } = await db.read
    .selectFrom('event')
    .select(({ fn }) => fn.max('id').as('newest'))
    .executeTakeFirstOrThrow()

  fault.arm(n, faults)
  const { value: client } = await insist(() => signIn(service, `10.${faults}.${n >> 8}.${n & 255}`))
  const message = `append to ${file}`
  const key = randomUUID()
  const sent = await insist(() => begin(client, message, { headers: { 'idempotency-key': key } }))
  const { run_id, conversation_id } = sent.value
  let status = await rest(service, run_id)
  if (status === 'waiting_approval') {
    expect(linesIn(file)).toBe(0)
    const { items } = await client.call(contract.chat.listApprovals, { query: { status: 'pending' } })
    const card = items.find((item) => item.run_id === run_id)
    expect(card).toBeDefined()
    const approve = () => decide(client, card!.approval_id, 'approve', { headers: { prefer: 'respond-async' } })
    const decided = await insist(approve)
    expect(decided.value.approval.status).toBe('approved')
    status = await rest(service, run_id)
    expect((await insist(approve)).value.approval.status).toBe('approved')
  }
  const met = fault.failed.length > 0
  fault.disarm()

  const { run, calls, cards, events } = await expectClosed(db, run_id)
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
  const keyed = await db.read.selectFrom('run').select('run_id').where('idempotency_key', '=', key).execute()
  expect(keyed).toEqual([{ run_id }])
  const { messages } = await client.call(contract.chat.conversation, { params: { conversation_id } })
  expect(messages[0]?.parts).toEqual([{ index: 0, type: 'text', text: message }])
  expect(messages).toHaveLength(2)
  expect(events[0]!.id).toBeGreaterThan(newest ?? 0)
  expect(await say(client, 'And now?', { conversation_id })).toMatchObject({ answer: 'Fine.' })
  return met
}

async function openService(database: (typeof databases)[number]) {
  const opened = new AsyncDisposableStack()
  const fault = openFault()
  const model = opened.use(await startScriptedModel(script))
  const env = { REEVE_TRUST_PROXY: 'true' }
  const service = opened.use(await startTestApp({ database, model, env, observe: fault.observe }))
  await service.as('admin')
  await service.app.chat.ports.tools.ready()
  return { fault, service, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

describe.each(databases)('writes that fail on $name', (database) => {
  // On PostgreSQL a story takes several times as long, and its program is the same: there a sample has to do.
  const sample = database.name === 'sqlite' ? 1 : 3

  test('whichever write fails, nothing acknowledged is lost and nothing is left open or done twice', { timeout: 90_000 }, async () => {
    await using opened = await openService(database)
    const { service, fault } = opened
    let n = 1
    while (await story(service, fault, n, 1).catch((error: unknown) => blame(error, n, fault.failed))) n += sample
    // The whole story was walked through: fewer writes would mean that the faults missed it.
    expect(n).toBeGreaterThan(40)
    expect(await openAudit(service.app.db, Date.now).verify()).toMatchObject({ ok: true })
  })

  test('when writes go on failing until even giving up fails, the next round ends the run', { timeout: 90_000 }, async () => {
    await using opened = await openService(database)
    const { service, fault } = opened
    let n = 1
    // Every fifth start of such an outage: each costs the waits between the attempts to give up.
    while (await story(service, fault, n, 8).catch((error: unknown) => blame(error, n, fault.failed))) n += 5 * sample
    expect(n).toBeGreaterThan(40)
    expect(await openAudit(service.app.db, Date.now).verify()).toMatchObject({ ok: true })
  })
})

function blame(error: unknown, n: number, failed: readonly string[]): never {
  throw new Error(`After failing write ${n}: ${failed.join(' | ')}`, { cause: error })
}
