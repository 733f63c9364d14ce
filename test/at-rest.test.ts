import { afterEach, describe, expect, test, vi } from 'vitest'
import { startTestApp } from './stage/app.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

afterEach(() => void vi.useRealTimers())

/**
 * What a start says a moment later about its modules, to administrators; what goes once an hour; and on PostgreSQL the
 * heartbeat: one statement every 4 seconds, which also asks whether anything has changed. The embedded database has none.
 */
const NOT_AT_REST = /"user"|insert into "event"|advisory|pg_notify|^commit$|^delete from "sample"|"heartbeat_at"/

describe.each(databases)('a service at rest on $name', (database) => {
  test('asks one statement every 15 seconds, and few a minute', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const statements: string[] = []
    const observe = (sql: string) => void (NOT_AT_REST.test(sql) || statements.push(sql))
    await using service = await startTestApp({ database, observe })
    await service.as('admin')
    const isLook = (sql: string) => sql.includes('"driven"')
    const tables = () =>
      statements.flatMap((sql) => (isLook(sql) ? [] : [/(?:from|insert into) "?(\w+)/.exec(sql)?.[1] ?? sql]))
    /** Lets the clock run until four looks; a step in which the last one was still going on is taken once more. */
    const run = async (): Promise<number> => {
      statements.length = 0
      let steps = 0
      for (let look = 1; look <= 4; look++)
        await until(
          () => {
            if (statements.filter(isLook).length >= look) return true
            vi.advanceTimersByTime(15_000)
            steps++
            return false
          },
          { what: `look number ${look}` },
        )
      await until(() => tables().includes('sample'), { what: 'the minute is kept' })
      return Math.ceil(steps / 4)
    }
    // The first also signs the end of the audit log, which is done once a day.
    await run()
    await until(() => tables().filter((table) => table === 'audit_head').length === 3, { what: 'the head is signed' })
    // What the first run has begun is none of the second.
    await service.app.unattended.settled()
    const minutes = await run()
    await service.app.unattended.settled()
    expect(statements.filter(isLook).length).toBeLessThanOrEqual(4 * minutes)
    // On PostgreSQL, events are divided, and whole parts are dropped: three statements to make parts ahead, and three for each
    // of both kinds of events instead of one.
    const events = database.name === 'postgres' ? ['event_id_seq', 'pg_inherits'] : []
    const about = ['audit_unchained', 'conversation', 'event', 'run', 'sample', 'unused_object', ...events]
    expect(tables().filter((table) => !about.includes(table))).toEqual([])
    // An entry of the audit log is chained 200 ms after it is written, whenever that was: not by the minute.
    const byMinute = tables().filter((table) => table !== 'audit_unchained')
    expect(byMinute.length).toBeLessThanOrEqual((database.name === 'postgres' ? 13 : 6) * minutes)
  })
})
