import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openBareDatabase, type BareDatabase } from './stage/databases/bare-database.ts'
import { begin, say } from './stage/chat-stage.ts'
import { ProblemAnswer, type TestClient } from './stage/client.ts'
import { startProcess, type TestProcess } from './stage/process.ts'
import { type CutProxy, openCutProxy } from './stage/servers/cut-proxy.ts'
import { createDatabase, databases } from './stage/servers/postgres.ts'
import { startScriptedModel } from './stage/servers/scripted-model.ts'
import { until } from './stage/wait.ts'

const SECRET = { REEVE_SECRET_KEY: 'c3'.repeat(32) }

/** Where in a transaction, as its statement goes over the wire: locks are held then, and nothing is committed. */
const PLACES = [
  ['the events of a person are locked', /pg_advisory_xact_lock[^]*event:/],
  ['a message is stored', /insert into "message"/],
  ['an entry of the audit log is written', /insert into "audit_unchained"/],
] as const

describe.runIf(databases.some(({ name }) => name === 'postgres'))(
  'a process that stands still in a transaction',
  () => {
    const opened = new AsyncDisposableStack()
    let network: CutProxy
    let still: TestProcess
    let other: TestProcess
    let onStill: TestClient
    let onOther: TestClient
    let look: BareDatabase

    beforeAll(async () => {
      const url = await createDatabase()
      network = opened.use(await openCutProxy(url))
      const model = opened.use(await startScriptedModel(() => [{ text: 'Fine.' }]))
      const at = (to: string) => ({ name: 'postgres' as const, url: () => Promise.resolve(to) })
      still = opened.use(await startProcess({ database: at(network.url), model, env: SECRET }))
      onStill = await still.as('admin')
      other = opened.use(await startProcess({ database: at(url), model, env: SECRET }))
      onOther = await other.signIn('admin')
      look = opened.use(await openBareDatabase(url, still.dataFolder))
      await onStill.call(contract.chat.listTools)
    })
    afterAll(() => opened.disposeAsync())

    test.each(PLACES)(
      'while %s: the others answer, and it finds its own gone',
      { timeout: 60_000 },
      async (_, place) => {
        const frozen = Promise.withResolvers<void>()
        network.after(place, () => frozen.resolve(void process.kill(still.pid, 'SIGSTOP')))
        const key = randomUUID()
        const asked: Promise<unknown>[] = [
          begin(onStill, 'Is anybody there?', { headers: { 'idempotency-key': key } }),
          still.signIn('admin'),
        ].map((answer) => answer.catch((error: unknown) => error))
        await frozen.promise
        try {
          // Whoever waits for a lock for 8 seconds is refused.
          const answered = [say(onOther, 'Hello'), other.signIn('admin'), onOther.call(contract.chat.history)]
          expect((await Promise.all(answered))[0]).toMatchObject({ answer: 'Fine.' })
          await until(async () => (await idle(look)) === 0, { what: 'its transaction is ended' })
        } finally {
          process.kill(still.pid, 'SIGCONT')
        }
        const refusals = (await Promise.all(asked)).filter((answer) => answer instanceof ProblemAnswer)
        expect(refusals.length).toBeGreaterThan(0)
        for (const { code, response } of refusals) {
          expect(code).toBe('storage_unavailable')
          expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
        }
        const begun = !((await asked[0]) instanceof ProblemAnswer)
        expect(
          await look.db.selectFrom('run').select('run_id').where('idempotency_key', '=', key).execute(),
        ).toHaveLength(begun ? 1 : 0)
        expect(await say(onStill, 'And now?')).toMatchObject({ answer: 'Fine.' })
      },
    )
  },
)

/** Sessions that are in a transaction and say nothing. */
async function idle({ db }: BareDatabase): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%'`.execute(db)
  return rows[0]!.n
}
