import { contract } from '../../../contract/index.ts'
import type { Watch } from '../../../contract/watch-values.ts'
import type { NewWatch } from '../../../contract/watches.ts'
import { WATCHES_TOPIC } from '../../../server/watches/watches-context.ts'
import type { TestApp } from '../app.ts'
import type { TestClient } from '../client.ts'
import { until } from '../wait.ts'

export const MINUTE = 60_000

/** A watch of the fullest disk of this machine, which only the person themselves is told of. */
export const DISK = {
  name: 'Disk',
  source: { kind: 'figure', figure: 'disk_used', machines: { of: 'local' } },
  condition: { is: 'above', bound: 90, back: null, for_s: 0 },
  action: { tell: { to: 'me' }, on_recovery: false, repeat_s: null, routine_id: null },
} as const satisfies Partial<NewWatch>

/** The service's watches, with its clock in the hand of the test. */
export function watching({ app: { db } }: Pick<TestApp, 'app'>) {
  const lookedAt = async (watch_id: string): Promise<number | null> => {
    const row = await db.read
      .selectFrom('watch')
      .select('looked_at')
      .where('watch_id', '=', watch_id)
      .executeTakeFirstOrThrow()
    return row.looked_at
  }
  return {
    /** Adds one and waits for its first look. */
    async add(client: TestClient, more: Partial<NewWatch> = {}): Promise<Watch> {
      const { watch } = await client.call(contract.watches.createWatch, { body: { ...DISK, ...more } })
      await until(async () => (await lookedAt(watch.watch_id)) !== null, { what: 'the first look' })
      return this.read(client, watch.watch_id)
    },
    async read(client: TestClient, watch_id: string): Promise<Watch> {
      const { items } = await client.call(contract.watches.listWatches)
      return items.find((one) => one.watch_id === watch_id)!
    },
    /** The clock goes on by so much, and the watch looks. */
    async later(client: TestClient, watch_id: string, ms = MINUTE): Promise<Watch> {
      const before = (await lookedAt(watch_id)) ?? 0
      await db.transaction(async (trx) => {
        await trx
          .updateTable('watch')
          .set({ next_at: 0, looked_at: before - ms })
          .where('watch_id', '=', watch_id)
          .execute()
        await trx
          .updateTable('watch_state')
          .set((is) => ({
            since: is('since', '-', ms),
            beyond_at: is('beyond_at', '-', ms),
            told_at: is('told_at', '-', ms),
          }))
          .where('watch_id', '=', watch_id)
          .execute()
        db.wake(trx, WATCHES_TOPIC)
      })
      await until(async () => (await lookedAt(watch_id))! >= before, { what: 'a look' })
      return this.read(client, watch_id)
    },
    /** How full the fullest disk of this machine is from now on, and how many of its services have failed. */
    async disk(percent: number | null, failed_services = 0): Promise<void> {
      const minute = Math.floor(Date.now() / MINUTE) * MINUTE
      const disk = percent === null ? null : percent / 100
      await db.transaction(async (trx) => {
        await trx.deleteFrom('sample').execute()
        const row = { cpu: null, memory: 0.5, disk, failed_services, runs: 0 }
        // The next one, too, so that no sample of this machine comes between.
        await trx
          .insertInto('sample')
          .values([0, 1, 2].map((add) => ({ minute: minute + add * MINUTE, ...row })))
          // Of the service itself, since they were deleted.
          .onConflict((conflict) => conflict.column('minute').doUpdateSet(row))
          .execute()
      })
    },
    async crossings(client: TestClient, watch_id: string) {
      return (await client.call(contract.watches.listCrossings, { params: { watch_id }, query: {} })).items
    },
  }
}

export type Watching = ReturnType<typeof watching>
