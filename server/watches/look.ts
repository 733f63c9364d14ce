import type { Database } from '../db/database.ts'
import type { WatchTable } from '../db/rows/watch-tables.ts'
import { change } from '../db/statement.ts'
import { quoted, say } from '../kernel/sentence.ts'
import { observe } from './observe.ts'
import type { Observed } from './seen.ts'
import { startDueRoutines } from './start-due-routines.ts'
import { storeLook } from './store-look.ts'
import { readWatch, type WatchRow } from './watch-row.ts'
import type { WatchesContext } from './watches-context.ts'

/** Watches read at once, and looks under way in one process. */
const AT_ONCE = 50
const PARALLEL = 4
/** Milliseconds for one look at everything that a watch follows. */
const LOOK_MS = 120_000

/**
 * Looks at what is due. Any number of processes may do this at once: whoever moves the time of a watch is the one that
 * looks. One that is killed meanwhile has looked once in vain, and the next look comes as ever.
 */
export async function lookAtDue(context: WatchesContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const at = await context.time()
    const due = await context.db.read
      .selectFrom('watch')
      .selectAll()
      .where('enabled', '=', 1)
      .where('next_at', '<=', at)
      .orderBy('next_at')
      .limit(AT_ONCE)
      .execute()
    const rest = [...due]
    const worker = async (): Promise<void> => {
      for (let row = rest.shift(); row !== undefined && !signal.aborted; row = rest.shift())
        if (await claim(context.db, row, at)) await lookAt(context, row, at, signal)
    }
    await Promise.all(Array.from({ length: PARALLEL }, worker))
    if (due.length < AT_ONCE) return
  }
}

/** When the next one is due; null while none is switched on. */
export async function nextDue({ db }: Pick<WatchesContext, 'db'>): Promise<number | null> {
  const row = await db.read
    .selectFrom('watch')
    .select(({ fn }) => fn.min('next_at').as('next_at'))
    .where('enabled', '=', 1)
    .executeTakeFirst()
  return row?.next_at == null ? null : Number(row.next_at)
}

/** What goes wrong with one is no matter of the others. */
async function lookAt(context: WatchesContext, row: WatchTable, at: number, stop: AbortSignal): Promise<void> {
  try {
    const watch = readWatch(row)
    await startDueRoutines(context, watch)
    const observed = await seen(context, watch, stop)
    if (observed === null) return
    if (await storeLook(context, watch, observed, at)) await startDueRoutines(context, watch)
  } catch (error) {
    if (!stop.aborted) context.log.warn({ err: error, watch_id: row.watch_id }, 'a look was lost')
  }
}

/** Null when the service stops. */
async function seen(context: WatchesContext, watch: WatchRow, stop: AbortSignal): Promise<Observed | null> {
  const time = AbortSignal.timeout(LOOK_MS)
  try {
    return await observe(context, watch, AbortSignal.any([stop, time]))
  } catch (error) {
    if (stop.aborted) return null
    if (!time.aborted) context.log.warn({ err: error, watch_id: watch.watch_id }, 'a watch could not look')
    const problem = time.aborted ? say`It took longer than ${LOOK_MS / 1000} s.` : quoted(messageOf(error))
    return { problem, seen: [], machines: new Set(), answered: new Set(), columns: [], called: [] }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 200) : 'error'
}

/** Whether this process is the one that looks. */
async function claim(db: Database, { watch_id, revision, next_at, interval_s }: WatchTable, at: number) {
  return (await CLAIM.run(db.write, { watch_id, revision, seen: next_at, next: at + interval_s * 1000 })) === 1
}

const CLAIM = change((db, is: { watch_id: string; revision: number; seen: number; next: number }) =>
  db
    .updateTable('watch')
    .set({ next_at: is.next })
    .where('watch_id', '=', is.watch_id)
    .where('revision', '=', is.revision)
    .where('next_at', '=', is.seen)
    .where('enabled', '=', 1),
)
