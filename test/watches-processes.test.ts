import { describe, expect, test } from 'vitest'
import { startTestApp } from './stage/app.ts'
import { databases } from './stage/servers/postgres.ts'
import { startLooker } from './stage/watches/watch-looker.ts'

const MINUTE = 60_000
/** Ten minutes each, of which the first five are beyond the bound. */
const BLOCKS = 100
/** Statements of a look that crosses; each of them is once the last one before a kill. */
const STATEMENTS = 12

describe.each(databases.filter(({ name }) => name === 'postgres'))('watches of two processes', (database) => {
  test(
    '1,000 looks, with kills between statements and clocks that differ by ten minutes: told once each, and none is lost',
    { timeout: 300_000 },
    async () => {
      await using app = await startTestApp({ database })
      const { db } = app.app
      // Long after anything that the service itself looks at.
      const start = Date.now() + 30 * 24 * 60 * MINUTE
      await db.write.updateTable('watch').set({ enabled: 0 }).execute()
      const watch_id = 'wat_processes'
      await db.write
        .insertInto('watch')
        .values({
          watch_id,
          user_id: null,
          preset: null,
          name: 'Disk',
          name_folded: 'disk',
          enabled: 1,
          source: JSON.stringify({ kind: 'figure', figure: 'disk_used', machines: { of: 'local' } }),
          condition: JSON.stringify({ is: 'above', bound: 90, back: null, for_s: 60 }),
          action: JSON.stringify({
            tell: { to: 'administrators' },
            on_recovery: true,
            repeat_s: null,
            routine_id: null,
          }),
          interval_s: 60,
          scope: '[]',
          revision: 1,
          next_at: start,
          looked_at: null,
          problem: null,
          created_at: start,
          updated_at: start,
        })
        .execute()
      const open = (clock: number) => startLooker(app.databaseUrl, app.dataFolder, clock)
      const clocks = [5 * MINUTE, -5 * MINUTE]
      const lookers = await Promise.all(clocks.map(open))
      let kills = 0
      try {
        for (let minute = 0; minute < BLOCKS * 10; minute++) {
          const [block, at] = [Math.floor(minute / 10), minute % 10]
          const order = { time: start + minute * MINUTE, value: at < 5 ? 95 : 50 }
          // In every fourth block: in the look that crosses, or in the one that recovers.
          const dies = block % 4 === 0 && at === (block % 8 === 0 ? 1 : 5)
          const die = dies ? ((block / 4) % STATEMENTS) + 1 : null
          const alive = await Promise.all(lookers.map((one) => one.look({ ...order, die })))
          for (const [index, is] of alive.entries())
            if (!is) {
              kills++
              lookers[index] = await open(clocks[index]!)
            }
        }
      } finally {
        for (const one of lookers) await one[Symbol.asyncDispose]()
      }
      expect(kills).toBeGreaterThan(10)
      const crossings = await db.read
        .selectFrom('watch_crossing')
        .selectAll()
        .where('watch_id', '=', watch_id)
        .orderBy('crossed_at')
        .execute()
      const blockOf = (time: number) => Math.floor((time - start) / MINUTE / 10)
      expect(crossings.map(({ crossed_at }) => blockOf(crossed_at))).toEqual(
        Array.from({ length: BLOCKS }, (_, at) => at),
      )
      expect(crossings.every(({ ended }) => ended === 'recovered')).toBe(true)
      const told = await db.read.selectFrom('setting').selectAll().where('key', 'like', 'told %').execute()
      expect(told.filter(({ value }) => value === 'twice')).toEqual([])
      expect(told.map(({ key }) => key).toSorted()).toEqual(
        crossings
          .flatMap(({ crossing_id }) => [`told ${crossing_id} crossed`, `told ${crossing_id} recovered`])
          .toSorted(),
      )
    },
  )
})
