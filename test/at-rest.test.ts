import { afterEach, describe, expect, test, vi } from 'vitest'
import { startTestApp } from './stage/app.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

afterEach(() => void vi.useRealTimers())

/** What a start says a moment later about its modules, to administrators; what goes once an hour, and signing once a day. */
const NOT_AT_REST =
  /"user"|insert into "event"|advisory|pg_notify|^commit$|^delete from "sample"|"(?:audit|audit_head|signing_key)"/

describe.each(databases)('a service at rest on $name', (database) => {
  test('asks nine statements of its database in a minute', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const statements: string[] = []
    const observe = (sql: string) => void (NOT_AT_REST.test(sql) || statements.push(sql))
    await using service = await startTestApp({ database, observe })
    await service.as('admin')
    // The signing in, which is not at rest.
    statements.length = 0
    const looks = () => statements.filter((sql) => sql.includes('"driven"')).length
    for (let quarter = 1; quarter <= 4; quarter++) {
      vi.advanceTimersByTime(15_000)
      await until(() => looks() === quarter, { what: `look number ${quarter}` })
    }
    const tables = () =>
      statements.map((sql) => /^(?:select (?!exists).*? from|insert into) "(\w+)"/.exec(sql)?.[1] ?? '')
    await until(() => tables().includes('sample'), { what: 'the minute is kept' })
    // What was begun before this has been observed by now.
    await service.app.db.read.selectFrom('setting').select('key').execute()
    const about = ['conversation', 'conversation_import', 'event', 'run', 'sample', 'setting']
    expect(tables().sort()).toEqual(['', '', '', '', ...about])
  })
})
