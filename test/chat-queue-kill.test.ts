import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { begin } from './stage/chat-stage.ts'
import { processorTime } from './stage/measure.ts'
import { startProcess, type TestProcess } from './stage/process.ts'
import { atRest, queue, textsOf } from './stage/chat/queue-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { gate, startScriptedModel } from './stage/servers/scripted-model.ts'
import { until } from './stage/wait.ts'

/** From now on, whoever sends a queued message gets stuck where it leaves the queue. */
interface Snare {
  /** Resolves once a sender is stuck there; the run before it has ended. */
  caught(): Promise<void>
  /** Afterwards messages leave the queue as usual. */
  release(): Promise<void>
}

/** A view without end keeps the process, which does nothing else while it is in a statement, in the transaction. */
function snareSqlite(service: TestProcess): Snare {
  const db = new DatabaseSync(join(service.dataFolder, 'reeve.db'))
  db.exec(`create view endless as with recursive n(x) as (select 1 union all select x + 1 from n) select x from n;
    create trigger snare before delete on queued_message begin select count(*) from endless; end`)
  return {
    async caught() {
      await until(() => db.prepare(`select 1 from run where status = 'done'`).get() !== undefined, {
        what: 'the run has ended',
      })
      const then = processorTime(service.pid)
      await until(() => processorTime(service.pid) > then + 500, { what: 'the process is in the statement' })
    },
    async release() {
      db.exec('drop trigger snare; drop view endless')
      db.close()
    },
  }
}

/** A lock that lets a row be read but not removed. */
async function snarePostgres(url: string): Promise<Snare> {
  const [holder, watcher] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })]
  await Promise.all([holder.connect(), watcher.connect()])
  await holder.query('begin')
  await holder.query('lock table queued_message in share mode')
  // By the other one: a transaction sees the activity as it was when it first looked.
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and query like 'delete from "queued_message"%'`
  return {
    async caught() {
      await until(async () => (await watcher.query(waiting)).rowCount === 1, { what: 'a sender waits for the lock' })
      expect((await watcher.query(`select 1 from run where status = 'done'`)).rowCount).toBe(1)
    },
    async release() {
      await holder.query('rollback')
      await Promise.all([holder.end(), watcher.end()])
    },
  }
}

describe.each(databases)('SIGKILL between the end of a run and its queued message, on $name', (database) => {
  test('the message is sent after the next start, exactly once', async () => {
    const url = await database.url()
    const held = gate()
    await using model = await startScriptedModel([
      [{ wait: held }, { text: 'First.' }],
      [{ text: 'Second.' }],
      [{ text: 'Third.' }],
    ])
    await using service = await startProcess({ database: { ...database, url: () => Promise.resolve(url) }, model })
    const client = await service.as('admin')
    const { conversation_id } = await begin(client, 'Begin')
    await held.reached
    await queue(client, conversation_id, 'Next')
    await queue(client, conversation_id, 'And then')
    const snare = url === '' ? snareSqlite(service) : await snarePostgres(url)
    held.open()
    await snare.caught()
    await service.kill()
    expect(model.requests).toHaveLength(1)
    await snare.release()
    await service.restart()
    await atRest(client, conversation_id)
    expect(await textsOf(client, conversation_id)).toEqual([
      'user: Begin',
      'assistant: First.',
      'user: Next',
      'assistant: Second.',
      'user: And then',
      'assistant: Third.',
    ])
    expect(model.requests).toHaveLength(3)
  })
})
