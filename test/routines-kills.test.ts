import { describe, expect, test } from 'vitest'
import { startTestApp, testEnvironment } from './stage/app.ts'
import { startFirer } from './stage/routines/routine-firer.ts'
import { openFolder } from './stage/open-folder.ts'
import { createRoutine, stoppedClock } from './stage/routines/routine-stage.ts'
import { databases } from './stage/servers/postgres.ts'

const ROUTINES = 50
const STEPS = 20
const INTERVAL = 10 * 60_000
const WRONG = 5 * 60_000
/** More statements than a look needs, so that some are not killed. */
const STATEMENTS = 3000
const BEGIN = Date.parse('2027-03-27T20:00:00Z')

/** The same numbers in every run. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

describe.each(databases.filter(({ name }) => name === 'postgres'))('1,000 due times on $name', (database) => {
  test(
    'two processes with wrong clocks that are killed between statements: none fires twice, none is lost',
    { timeout: 900_000 },
    async () => {
      const clock = stoppedClock(new Date(BEGIN).toISOString())
      await using closing = new AsyncDisposableStack()
      const env = { REEVE_SECRET_KEY: 'b3'.repeat(32) }
      const home = closing.use(await startTestApp({ database, routineClock: clock, env }))
      const client = await home.as('admin')
      const ids: string[] = []
      for (let i = 0; i < ROUTINES; i++) {
        const routine = await createRoutine(client, {
          name: `Routine ${i}`,
          text: '/system.memory',
          cron: '*/10 * * * *',
          zone: 'Europe/Berlin',
          catch_up_s: 1800,
        })
        ids.push(routine.routine_id)
      }
      const shared = { database: { name: 'postgres' as const, url: () => Promise.resolve(home.databaseUrl) }, env }
      const start = async () => {
        const firer = closing.use(startFirer(await testEnvironment(await openFolder(closing), shared)))
        if (!(await firer.ready())) throw new Error('It did not start.')
        return firer
      }
      const random = numbers(18)
      let kills = 0
      const firers = [await start(), await start()]
      for (let step = 1; step <= STEPS; step++) {
        const now = BEGIN + step * INTERVAL
        const ahead = random() < 0.5 ? 0 : 1
        const lived = await Promise.all(
          firers.map((firer, i) =>
            firer.look({
              now: now + (i === ahead ? WRONG : -WRONG),
              dies_before: 1 + Math.floor(random() * STATEMENTS),
            }),
          ),
        )
        for (const [i, lives] of lived.entries())
          if (!lives) {
            kills++
            firers[i] = await start()
          }
        // Somebody whose clock is right looks before the next time is due.
        await firers[step % 2]!.look({ now, dies_before: null })
      }
      expect(kills).toBeGreaterThan(10)

      const { db } = home.app
      const fires = await db.read.selectFrom('routine_fire').selectAll().execute()
      const expected = ids.flatMap((id) =>
        Array.from({ length: STEPS }, (_, i) => `${id} c:${BEGIN + (i + 1) * INTERVAL}`),
      )
      expect(expected).toHaveLength(1000)
      // The unique key says that none is there twice; here none is missing, and none is too many.
      expect(fires.map(({ routine_id, due_key }) => `${routine_id} ${due_key}`).toSorted()).toEqual(expected.toSorted())
      expect(fires.filter(({ outcome }) => outcome === 'missed' || outcome === 'refused')).toEqual([])
      const started = fires.filter(({ outcome }) => outcome === 'started')
      expect(started.length).toBeGreaterThan(500)
      // One statement for both tables: entries go from one to the other meanwhile, and two would miss those on their way.
      // A time that was put off has a second entry when its turn comes.
      const entries = await db.read
        .selectFrom('audit')
        .select('target')
        .where('action', '=', 'routine.fired')
        .unionAll(db.read.selectFrom('audit_unchained').select('target').where('action', '=', 'routine.fired'))
        .execute()
      expect(entries.length).toBeGreaterThanOrEqual(1000)
      // Each has its run, and every run its entry: they are one transaction.
      const runs = await db.read
        .selectFrom('run')
        .select(['run_id', 'idempotency_key'])
        .where('started_by', '=', 'routine')
        .execute()
      expect(runs.map(({ run_id, idempotency_key }) => `${idempotency_key} ${run_id}`).toSorted()).toEqual(
        started.map(({ fire_id, run_id }) => `${fire_id} ${run_id}`).toSorted(),
      )
    },
  )
})
