import { randomBytes } from 'node:crypto'
import { databaseTime } from '../../db/database-time.ts'
import type { Database, Reader } from '../../db/database.ts'
import { HOLD_SETTING } from '../../db/snapshot/kept-tables.ts'
import { BackupProblem } from './backup-problem.ts'

/** The hold of a backup that died expires after this time. */
const HOLD_MS = 120_000
const RENEW_MS = 30_000

interface Hold {
  readonly owner: string
  /** By the database's time. */
  readonly until: number
}

/**
 * While a backup is taken, no process removes stored bytes, because rows of the snapshot may name them; removals are
 * left to the sweep. Held by a row that is written before the snapshot is taken. A removal checks for it after its own
 * rows are gone, so bytes named by the snapshot are either held, or their rows were gone before it.
 * @throws {BackupProblem} when another backup is being taken
 */
export async function holdBytes(db: Database, time = clockOf(db)): Promise<AsyncDisposable> {
  const owner = randomBytes(9).toString('base64url')
  const write = async (first: boolean): Promise<void> =>
    db.transaction(async (trx) => {
      await db.dialect.serialize(trx, HOLD_SETTING)
      const held = await readHold(trx)
      const now = await time(trx)
      if (first && held !== null && held.until > now)
        throw new BackupProblem('Another backup is being taken. Wait for it, or for two minutes if it was killed.')
      const value = JSON.stringify({ owner, until: now + HOLD_MS } satisfies Hold)
      await trx
        .insertInto('setting')
        .values({ key: HOLD_SETTING, value, updated_at: now })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, updated_at: now }))
        .execute()
    })
  await write(true)
  let renewing = Promise.resolve()
  // A single failed renewal is made up for by the next one.
  const timer = setInterval(() => {
    renewing = write(false).catch(() => undefined)
  }, RENEW_MS)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await renewing
      await db.transaction(async (trx) => {
        await db.dialect.serialize(trx, HOLD_SETTING)
        // This one took too long, and another backup holds the bytes by now.
        if ((await readHold(trx))?.owner !== owner) return
        await trx.deleteFrom('setting').where('key', '=', HOLD_SETTING).execute()
      })
    },
  }
}

/** Whether stored bytes must be kept at present. */
export async function areBytesHeld(db: Database, time = clockOf(db)): Promise<boolean> {
  const held = await readHold(db.read)
  return held !== null && held.until > (await time(db.read))
}

/** Those who hold bytes and those who ask run in several processes, on several machines. */
function clockOf({ dialect }: Database): (reader: Reader) => Promise<number> {
  return (reader) => databaseTime(reader, dialect)
}

/** A store that removes nothing while `isHeld`; the sweep removes it later. */
export function heldStore<S extends { remove(id: string): Promise<void> }>(
  store: S,
  isHeld: () => Promise<boolean>,
): S {
  return {
    ...store,
    remove: async (id: string) => {
      if (!(await isHeld())) await store.remove(id)
    },
  }
}

async function readHold(db: Reader): Promise<Hold | null> {
  const row = await db.selectFrom('setting').select('value').where('key', '=', HOLD_SETTING).executeTakeFirst()
  return row === undefined ? null : (JSON.parse(row.value) as Hold)
}
