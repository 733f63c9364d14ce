import type { Caller } from '../../contract/route.ts'
import type { WatchCondition, WatchSource } from '../../contract/watch-values.ts'
import type { TriedWatch } from '../../contract/watches.ts'
import { checkSource, scopeOf } from './check-watch.ts'
import { isBeyond } from './judge.ts'
import { keepCalls } from './keep-calls.ts'
import { observe } from './observe.ts'
import type { WatchesContext } from './watches-context.ts'

const SHOWN = 20

/** Looks once as the caller, and stores nothing but what the audit log keeps of calls. @throws {AppError} bad_watch, watch_not_allowed */
export async function tryWatch(
  context: WatchesContext,
  caller: Caller,
  { source, condition }: { readonly source: WatchSource; readonly condition: WatchCondition },
  signal: AbortSignal,
): Promise<TriedWatch> {
  await checkSource(context, caller, { source, condition, shared: false })
  const looking = { user_id: caller.user_id, scope: scopeOf(source), source, condition }
  const { problem, seen, columns, called } = await observe(context, looking, signal)
  if (called.length > 0)
    await context.db.transaction((trx) => keepCalls(context.audit, trx, { watch_id: '', name: '' }, called))
  return {
    problem: problem?.in(caller.language) ?? null,
    subjects: seen.slice(0, SHOWN).map((one) => ({
      machine: one.machine,
      row: one.row,
      value: one.value,
      problem: one.problem?.in(caller.language) ?? null,
      beyond: one.problem === null && isBeyond(condition, one.value) === true,
    })),
    all: seen.length,
    columns: [...columns],
  }
}
