import type { WatchValue } from '../../contract/watch-values.ts'
import type { Trx } from '../db/database.ts'
import type { WatchStateTable } from '../db/rows/watch-tables.ts'
import { insertRows } from '../db/statement.ts'
import { newId } from '../kernel/id.ts'
import { keepCalls } from './keep-calls.ts'
import { judge } from './judge.ts'
import type { Observed, Seen, Turned } from './seen.ts'
import { type Told, toldOf } from './tell.ts'
import { packed, type WatchRow } from './watch-row.ts'
import type { WatchesContext } from './watches-context.ts'

/**
 * Stores what a look has seen: states, crossings, and who is told of them, in one transaction. Whoever has looked later
 * has stored later: an older look, or one that began before the watch was changed, stores nothing. @returns whether it did
 */
export async function storeLook(
  context: WatchesContext,
  watch: WatchRow,
  observed: Observed,
  at: number,
): Promise<boolean> {
  const { db, audit, tellChange } = context
  const { watch_id, user_id, revision } = watch
  return db.transaction(async (trx) => {
    // The row stays locked until the commit, so what is read of its subjects is as the last look left it.
    const mine = await trx
      .updateTable('watch')
      .set({ looked_at: at, problem: packed(observed.problem) })
      .where('watch_id', '=', watch_id)
      .where('revision', '=', revision)
      .where('enabled', '=', 1)
      .where((is) => is.or([is('looked_at', 'is', null), is('looked_at', '<', at)]))
      .returning('watch_id')
      .executeTakeFirst()
    if (mine === undefined) return false
    const before = await trx.selectFrom('watch_state').selectAll().where('watch_id', '=', watch_id).execute()
    const { rows, gone, turned } = follow(watch, before, observed, at)
    await removeStates(trx, watch_id, [...gone.map(({ row }) => row), ...rows.map(({ after }) => after)])
    await insertRows(
      trx,
      'watch_state',
      rows.map(({ after }) => after),
    )
    const told = turned.length === 0 ? null : await toldOf(context, trx, watch)
    await keepCrossings(trx, watch, turned, { at, told })
    for (const { row, ended } of gone) await endCrossing(trx, row, { at, ended })
    await told?.tell(turned, at)
    await keepCalls(audit, trx, watch, observed.called)
    const entry = { target: watch_id, outcome: 'ok', actor: null } as const
    for (const { turn, machine, row, value } of turned)
      if (turn !== 'again')
        await audit.record(trx, {
          ...entry,
          action: `watch.${turn}`,
          details: { name: watch.name, ...(machine && { machine }), ...shownValue(watch, row, value) },
        })
    if (rows.length > 0 || gone.length > 0 || packed(observed.problem) !== watch.problem)
      await tellChange(trx, user_id, watch_id)
    return true
  })
}

/** Results of tools are no matter of the audit log. */
function shownValue({ source }: WatchRow, row: string, value: WatchValue): Record<string, unknown> {
  return source.kind === 'figure' ? { value } : row === '' ? {} : { rows: true }
}

interface Followed {
  /** States that are another matter now. */
  readonly rows: readonly { readonly after: WatchStateTable }[]
  readonly gone: readonly { readonly row: WatchStateTable; readonly ended: 'recovered' | 'gone' }[]
  readonly turned: readonly Turned[]
}

/** What becomes of every subject. Pure, but for the ids of new crossings. */
function follow(watch: WatchRow, before: readonly WatchStateTable[], observed: Observed, at: number): Followed {
  const known = new Map(before.map((row) => [row.subject_key, row]))
  const rows: { after: WatchStateTable }[] = []
  const turned: Turned[] = []
  const left = new Map(known)
  for (const seen of allSeen(observed, before)) {
    const subject_key = keyOf(seen)
    const row = known.get(subject_key) ?? null
    left.delete(subject_key)
    const { memory, turn } = judge(row, seen.problem === null ? seen.value : null, watch.condition, at)
    const crossing_id = turn === 'crossed' ? newId('crossing') : (row?.crossing_id ?? null)
    const again = memory.phase === 'crossed' && turn === null && isDueAgain(watch, row, at) && memory.beyond_at !== null
    const about = { machine: seen.machine, row: seen.row, value: seen.value }
    if (turn !== null) turned.push({ turn, crossing_id: crossing_id!, ...about })
    else if (again) turned.push({ turn: 'again', crossing_id: crossing_id!, ...about })
    const after: WatchStateTable = {
      watch_id: watch.watch_id,
      subject_key,
      machine: seen.machine,
      row_name: seen.row,
      ...memory,
      value: seen.problem === null ? JSON.stringify(seen.value) : (row?.value ?? 'null'),
      problem: packed(seen.problem),
      crossing_id: memory.phase === 'crossed' ? crossing_id : null,
      told_at: turn === 'crossed' || again ? at : memory.phase === 'crossed' ? (row?.told_at ?? at) : null,
    }
    if (row === null || differs(row, after)) rows.push({ after })
  }
  const gone: { row: WatchStateTable; ended: 'recovered' | 'gone' }[] = []
  for (const row of left.values()) {
    const host_id = hostOf(row.subject_key)
    if (observed.problem !== null) continue
    const answered = observed.answered.has(host_id)
    if (!answered && observed.machines.has(host_id)) continue
    // A row that a full answer does not name any more is beyond no bound; a machine that is not followed any more, who knows.
    const ended = answered ? 'recovered' : 'gone'
    gone.push({ row, ended })
    if (row.crossing_id !== null && ended === 'recovered')
      turned.push({
        turn: 'recovered',
        crossing_id: row.crossing_id,
        machine: row.machine,
        row: row.row_name,
        value: null,
      })
  }
  return { rows, gone, turned }
}

/** What was seen, and what was followed and could not be looked at this time. */
function allSeen({ problem, seen, machines, answered }: Observed, before: readonly WatchStateTable[]): Seen[] {
  const named = new Set(seen.map(keyOf))
  const silent = before.flatMap((row): Seen[] => {
    const host_id = hostOf(row.subject_key)
    if (named.has(row.subject_key) || answered.has(host_id) || (problem === null && !machines.has(host_id))) return []
    const why = problem ?? seen.find((one) => one.host_id === host_id)?.problem ?? null
    if (why === null) return []
    return [{ host_id, machine: row.machine, row: row.row_name, value: null, problem: why }]
  })
  // Rows are followed by themselves: a machine without an answer stands for them only while none of them is known.
  const placeless = seen.filter(
    (one) => one.problem === null || one.row !== '' || !silent.some(({ host_id }) => host_id === one.host_id),
  )
  return [...placeless, ...silent]
}

function keyOf({ host_id, row }: Pick<Seen, 'host_id' | 'row'>): string {
  return `${host_id} ${row}`
}

function hostOf(subject_key: string): string {
  return subject_key.slice(0, subject_key.indexOf(' '))
}

function isDueAgain({ action }: WatchRow, row: WatchStateTable | null, at: number): boolean {
  if (action.repeat_s === null || row?.told_at == null) return false
  return at - row.told_at >= action.repeat_s * 1000
}

/** `beyond_at` of what stays as it is moves with every look; only while it is pending does that count. */
function differs(before: WatchStateTable, after: WatchStateTable): boolean {
  const { beyond_at: _one, ...one } = before
  const { beyond_at: _other, ...other } = after
  if (after.phase === 'pending' || (before.beyond_at === null) !== (after.beyond_at === null)) return true
  return (Object.keys(other) as (keyof typeof other)[]).some((key) => other[key] !== one[key])
}

async function removeStates(trx: Trx, watch_id: string, rows: readonly WatchStateTable[]): Promise<void> {
  if (rows.length === 0) return
  const keys = rows.map(({ subject_key }) => subject_key)
  await trx.deleteFrom('watch_state').where('watch_id', '=', watch_id).where('subject_key', 'in', keys).execute()
}

async function keepCrossings(
  trx: Trx,
  { watch_id, action, user_id }: WatchRow,
  turned: readonly Turned[],
  { at, told }: { readonly at: number; readonly told: Told | null },
): Promise<void> {
  const routine = action.routine_id !== null && user_id !== null ? ('due' as const) : null
  const crossed = turned.filter(({ turn }) => turn === 'crossed')
  const rows = crossed.map(({ crossing_id, machine, row, value }) => ({
    crossing_id,
    watch_id,
    machine,
    row_name: row,
    value: JSON.stringify(value),
    crossed_at: at,
    ended_at: null,
    ended: null,
    told: told?.somebody === true ? 1 : 0,
    routine,
  }))
  await insertRows(trx, 'watch_crossing', rows)
  for (const { turn, crossing_id } of turned)
    if (turn === 'recovered') await endCrossing(trx, { crossing_id }, { at, ended: 'recovered' })
}

async function endCrossing(
  trx: Trx,
  { crossing_id }: { readonly crossing_id: string | null },
  { at, ended }: { readonly at: number; readonly ended: 'recovered' | 'gone' },
): Promise<void> {
  if (crossing_id === null) return
  await trx
    .updateTable('watch_crossing')
    .set({ ended_at: at, ended })
    .where('crossing_id', '=', crossing_id)
    .where('ended_at', 'is', null)
    .execute()
}
