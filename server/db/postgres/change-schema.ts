import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql, type Transaction } from 'kysely'
import { OperatorProblem } from '../../kernel/operator-problem.ts'
import type { Tables } from '../schema.ts'
import { UNHURRIED } from './postgres-limits.ts'

/**
 * Milliseconds that a change of the schema waits for a lock. Whoever waits looks for a deadlock after a second
 * (`deadlock_timeout`), and ends if there is one. So the change gives up first: it can be made again, and the request of
 * a process that works meanwhile cannot. And whoever comes while it waits waits as long behind it.
 */
const LOCK_WAIT = 200
/** Milliseconds between two attempts. */
const PAUSE = 100
/** How long it is tried, in milliseconds. */
const PATIENCE = 600_000
/** lock_timeout and deadlock_detected. */
const IN_THE_WAY = ['55P03', '40P01']

/**
 * Changes the schema in one transaction while other processes work. It begins anew when others hold what it needs: an
 * exclusive lock on a table waits for every transaction that has used the table, and holds up all that come later.
 * @throws {OperatorProblem} when they still do after `patience` milliseconds
 */
export async function changeSchema<T>(
  db: Kysely<Tables>,
  work: (trx: Transaction<Tables>) => Promise<T>,
  patience = PATIENCE,
): Promise<T> {
  const end = performance.now() + patience
  for (;;) {
    try {
      return await db.transaction().execute(async (trx) => {
        await sql.raw(UNHURRIED).execute(trx)
        await sql.raw(`set local lock_timeout = ${LOCK_WAIT}`).execute(trx)
        return work(trx)
      })
    } catch (error) {
      if (!isInTheWay(error)) throw error
      if (performance.now() > end) throw new OperatorProblem(occupied(patience))
      await sleep(PAUSE)
    }
  }
}

function occupied(patience: number): string {
  return `For ${Math.round(patience / 1000)} s there was no moment in which the tables could be changed: others always used them. End long transactions on this database (a dump, an open client) and start again.`
}

function isInTheWay(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  return IN_THE_WAY.includes(code as string) || isInTheWay(error.cause)
}
