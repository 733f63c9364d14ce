import { readValue, type WatchRow } from './watch-row.ts'
import type { WatchesContext } from './watches-context.ts'

/** Milliseconds for which a routine is still worth starting, such as after a process was killed before it could. */
const LATE = 3_600_000

/**
 * Starts the owner's routine for every crossing that has none yet. Each has a key of its own, so that it is started once
 * even where two processes try.
 */
export async function startDueRoutines({ db, routines }: WatchesContext, watch: WatchRow): Promise<void> {
  const { watch_id, user_id, name, source, condition } = watch
  const { routine_id } = watch.action
  if (routine_id === null || user_id === null) return
  const due = await db.read
    .selectFrom('watch_crossing')
    .selectAll()
    .where('watch_id', '=', watch_id)
    .where('routine', '=', 'due')
    .orderBy('crossing_id')
    .limit(20)
    .execute()
  if (due.length === 0) return
  const theirs = (await routines.of(user_id)).some((one) => one.routine_id === routine_id)
  for (const { crossing_id, machine, row_name, value, crossed_at } of due) {
    const facts = {
      watch: name,
      looks_at: source.kind === 'figure' ? source.figure : `${source.module}.${source.tool}`,
      ...(machine && { machine }),
      ...(row_name && { row: row_name }),
      value: readValue(value),
      is: condition.is,
      bound: condition.bound,
      at: new Date(crossed_at).toISOString(),
    }
    const isLate = Date.now() - crossed_at > LATE
    const outcome = !theirs
      ? 'refused'
      : isLate
        ? 'skipped'
        : await routines.start({ routine_id, key: crossing_id, facts })
    await db.write
      .updateTable('watch_crossing')
      .set({ routine: outcome })
      .where('crossing_id', '=', crossing_id)
      .where('routine', '=', 'due')
      .execute()
  }
}
