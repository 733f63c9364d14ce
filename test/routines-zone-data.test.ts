import { describe, expect, test } from 'vitest'
import { startTestApp } from './stage/app.ts'
import { createRoutine, firesOf, stoppedClock, tick } from './stage/routines/routine-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const NOW = '2027-03-01T00:30:00Z'
/** Every day at this time: 03:00 in Berlin, as this process knows it. */
const DUE = Date.parse('2027-03-01T02:00:00Z')

/**
 * What a country changes about its clocks reaches a process with new time zone data. Next times that were stored before are
 * an hour off then, in one direction or the other.
 */
describe.each(databases)('next times that were found with other time zone data, on $name', (database) => {
  const found = [
    ['an hour too early, and not due yet', DUE - HOUR, 0],
    ['an hour too early, and due', DUE - HOUR, 40 * MINUTE],
    ['an hour too late, with the right time still to come', DUE + HOUR, 0],
    ['an hour too late, with the right time just gone', DUE + HOUR, 2 * HOUR],
    ['right', DUE, 0],
  ] as const
  const cases = found.flatMap(([what, ...of]) => [
    [`${what}, when this process begins to look`, ...of, false] as const,
    // Such as by one of the version before, beside this one.
    [`${what}, by a process beside this one`, ...of, true] as const,
  ])
  test.each(cases)(
    '%s: it runs once each day',
    async (_, next, looksAfter, beside) => {
      const clock = stoppedClock(NOW)
      await using app = await startTestApp({ database, routineClock: clock })
      const client = await app.as('admin')
      const { db } = app.app
      const { routine_id } = await createRoutine(client, {
        name: 'Daily',
        text: '/system.memory',
        cron: '0 3 * * *',
        zone: 'Europe/Berlin',
        catch_up_s: 0,
      })
      if (beside) await tick(app)
      const set = { next_fire_at: next, tz: 'other' }
      await db.write.updateTable('routine').set(set).where('routine_id', '=', routine_id).execute()
      const active = () => db.read.selectFrom('run').select('run_id').where('ended_at', 'is', null).execute()
      clock.by(looksAfter)
      await tick(app)
      while (clock() < Date.parse('2027-03-04')) {
        // Else the next one would find the one before, which goes by the time of this machine, unfinished.
        await until(async () => (await active()).length === 0, { what: 'its run has ended' })
        clock.by(10 * MINUTE)
        await tick(app)
      }
      const fires = await firesOf(client, routine_id)
      expect(fires.map(({ outcome }) => outcome)).toEqual(['started', 'started', 'started'])
      const days = fires.map(({ due_at }) => Math.floor((Date.parse(due_at) - Date.parse('2027-03-01')) / DAY))
      expect(days).toEqual([0, 1, 2])
      expect(fires.slice(1).map(({ due_at }) => Date.parse(due_at))).toEqual([DUE + DAY, DUE + 2 * DAY])
    },
    300_000,
  )
})
