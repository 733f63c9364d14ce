import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openFeed } from './stage/activity-feed.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { begin, lastAnswer, say } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { PASSWORD } from './stage/people.ts'
import { type Pgbouncer, pgbouncerMissing, startPgbouncer } from './stage/servers/pgbouncer.ts'
import { createDatabase, databases } from './stage/servers/postgres.ts'
import { gate, startScriptedModel } from './stage/servers/scripted-model.ts'
import { sql } from 'kysely'

const skipped = pgbouncerMissing ?? (databases.some(({ name }) => name === 'postgres') ? null : 'no PostgreSQL')

describe.skipIf(skipped !== null)(
  `through pgbouncer in transaction mode${skipped === null ? '' : ` (skipped: ${skipped})`}`,
  () => {
    const opened = new AsyncDisposableStack()
    const held = gate()
    let url: string
    let pgbouncer: Pgbouncer
    let a: TestApp
    let b: TestApp
    let onA: TestClient
    let onB: TestClient

    const at = (to: string) => ({ name: 'postgres' as const, url: () => Promise.resolve(to) })

    beforeAll(async () => {
      url = await createDatabase()
      pgbouncer = opened.use(await startPgbouncer(url))
      const model = opened.use(
        await startScriptedModel(({ messages }) =>
          JSON.stringify(messages.at(-1)).includes('slow')
            ? [{ text: 'Begun ' }, { wait: held }, { text: 'and ended.' }]
            : [{ text: 'Fine.' }],
        ),
      )
      const env = {
        REEVE_LOG_LEVEL: 'error',
        REEVE_SECRET_KEY: 'd4'.repeat(32),
        REEVE_DATABASE_LISTEN_URL: url,
        REEVE_DATABASE_POOL: '10',
      }
      a = opened.use(await startTestApp({ database: at(pgbouncer.url), model, env }))
      onA = await a.as('admin')
      b = opened.use(await startTestApp({ database: at(pgbouncer.url), model, env }))
      onB = b.anonymous()
      const body = { username: 'admin', password: PASSWORD }
      onB.csrfToken = (await onB.call(contract.accounts.login, { body })).csrf_token
    })
    afterAll(() => opened.disposeAsync())

    test('a start that does not hear itself says which setting is missing, and changes nothing', async () => {
      const fresh = await createDatabase()
      await using front = await startPgbouncer(fresh)
      await expect(startTestApp({ database: at(front.url) })).rejects.toThrow('REEVE_DATABASE_LISTEN_URL')
      await using look = await startTestApp({ database: at(fresh) })
      expect(look.app.db.opened.applied.length).toBeGreaterThan(0)
    })

    test('two services serve turns, and each tells of what happens on the other', async () => {
      const stream = await openFeed(onB)
      const { run_id, conversation_id } = await begin(onA, 'slow')
      await stream.find((event) => event.run_id === run_id && event.type === 'run.delta')
      await Promise.all([...Array(10).keys()].map((n) => say(n % 2 === 0 ? onA : onB, 'Hello')))
      held.open()
      await stream.find((event) => event.run_id === run_id && event.type === 'run.completed')
      expect(await lastAnswer(onB, conversation_id)).toMatchObject({ parts: [{ text: 'Begun and ended.' }] })
      await stream[Symbol.asyncDispose]()
      expect(await onA.call(contract.operation.ready)).toMatchObject({ status: 'ok' })
    })

    test('limits hold in each transaction, and stay in none of the sessions', async () => {
      const limits = sql<{ name: string; setting: string }>`select name, setting from pg_settings
        where name in ('idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout') order by name`
      const inside = await a.app.db.transaction((trx) => limits.execute(trx))
      expect(inside.rows.map(({ setting }) => setting)).toEqual(['5000', '8000', '30000'])
      const outside = await limits.execute(a.app.db.write)
      expect(outside.rows.map(({ setting }) => setting)).toEqual(['0', '0', '0'])
    })
  },
)
