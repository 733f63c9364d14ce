import type { Caller } from '../../contract/route.ts'
import type { Crossing, Watch, WatchSubject } from '../../contract/watch-values.ts'
import type { Reader } from '../db/database.ts'
import type { WatchStateTable, WatchTable } from '../db/rows/watch-tables.ts'
import { byName } from '../kernel/text/name-order.ts'
import { iso, isoOrNull } from '../kernel/time.ts'
import { administers } from './check-watch.ts'
import { readValue, readWatch, unpacked } from './watch-row.ts'

/** Subjects that a list shows of one watch. */
const SHOWN = 20
const PHASES = ['crossed', 'pending', 'ok'] as const

/** The caller's watches, and for administrators those that they share; those that share come first, then by name. */
export async function listWatches(reader: Reader, caller: Caller): Promise<Watch[]> {
  const rows = await reader
    .selectFrom('watch')
    .selectAll()
    .where((is) =>
      is.or([is('user_id', '=', caller.user_id), ...(administers(caller) ? [is('user_id', 'is', null)] : [])]),
    )
    .execute()
  if (rows.length === 0) return []
  const ids = rows.map(({ watch_id }) => watch_id)
  const states = await reader.selectFrom('watch_state').selectAll().where('watch_id', 'in', ids).execute()
  const statesOf = Map.groupBy(states, ({ watch_id }) => watch_id)
  const shown = rows.map((row) => toWatch(row, statesOf.get(row.watch_id) ?? [], caller.language))
  const [shared, own] = [true, false].map((is) => shown.filter((watch) => watch.shared === is))
  return [shared!, own!].flatMap((some) => byName(some, caller.language, ({ name }) => name))
}

/** One of them, as the list shows it. */
export async function readShown(reader: Reader, caller: Caller, watch_id: string): Promise<Watch> {
  return (await listWatches(reader, caller)).find((watch) => watch.watch_id === watch_id)!
}

/** When a watch crossed its bound, newest first. */
export async function listCrossings(
  reader: Reader,
  watch_id: string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<{ items: Crossing[]; next_cursor: string | null }> {
  let select = reader
    .selectFrom('watch_crossing')
    .selectAll()
    .where('watch_id', '=', watch_id)
    .orderBy('crossing_id', 'desc')
    .limit(limit + 1)
  if (cursor !== undefined) select = select.where('crossing_id', '<', cursor)
  const rows = await select.execute()
  const items = rows.slice(0, limit).map((row) => ({
    crossing_id: row.crossing_id,
    machine: row.machine,
    row: row.row_name,
    value: readValue(row.value),
    crossed_at: iso(row.crossed_at),
    ended_at: isoOrNull(row.ended_at),
    ended: row.ended,
    told: row.told === 1,
    routine: row.routine,
  }))
  return { items, next_cursor: rows.length > limit ? items.at(-1)!.crossing_id : null }
}

function toWatch(row: WatchTable, states: readonly WatchStateTable[], language: string): Watch {
  const { watch_id, name, preset, source, condition, action } = readWatch(row)
  const count = (is: (state: WatchStateTable) => boolean) => states.filter(is).length
  const rank = (state: WatchStateTable) => PHASES.indexOf(state.phase) * 2 - (state.problem === null ? 0 : 1)
  const subjects = states
    .toSorted((a, b) => rank(a) - rank(b) || a.subject_key.localeCompare(b.subject_key))
    .slice(0, SHOWN)
    .map((state): WatchSubject => ({
      machine: state.machine,
      row: state.row_name,
      phase: state.phase,
      value: readValue(state.value),
      problem: unpacked(state.problem, language),
      since: iso(state.since),
    }))
  return {
    watch_id,
    name,
    preset: preset as Watch['preset'],
    shared: row.user_id === null,
    enabled: row.enabled === 1,
    source,
    condition,
    interval_s: row.interval_s,
    action,
    looked_at: isoOrNull(row.looked_at),
    next_at: row.enabled === 1 ? iso(row.next_at) : null,
    problem: unpacked(row.problem, language),
    counts: {
      crossed: count(({ phase }) => phase === 'crossed'),
      pending: count(({ phase }) => phase === 'pending'),
      unknown: count(({ problem }) => problem !== null),
      all: states.length,
    },
    subjects,
  }
}
