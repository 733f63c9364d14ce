import type { Caller } from '../../contract/route.ts'
import { WATCH_LIMITS } from '../../contract/watch-limits.ts'
import type { NewWatch, WatchChange } from '../../contract/watches.ts'
import type { Trx } from '../db/database.ts'
import type { WatchTable } from '../db/rows/watch-tables.ts'
import { AppError } from '../kernel/app-error.ts'
import { newId } from '../kernel/id.ts'
import { say } from '../kernel/sentence.ts'
import { canonicalJson } from '../kernel/text/canonical.ts'
import { fold } from '../kernel/text/plain-text.ts'
import { administers, checkAction, checkRoutine, checkSource, scopeOf } from './check-watch.ts'
import { readWatch, type WatchRow } from './watch-row.ts'
import { WATCHES_TOPIC, type WatchesContext } from './watches-context.ts'

/** @throws {AppError} bad_watch, watch_not_allowed, watch_exists, too_many_watches, unknown_role, unknown_channel */
export async function createWatch(context: WatchesContext, caller: Caller, wanted: NewWatch): Promise<string> {
  const { name, enabled, shared, source, condition, action, interval_s } = wanted
  if (shared && !administers(caller))
    throw new AppError('watch_not_allowed', say`Only administrators may share a watch.`)
  await checkSource(context, caller, wanted)
  await checkRoutine(context, caller, action)
  const watch_id = newId('watch')
  const user_id = shared ? null : caller.user_id
  const at = await context.time()
  await save(context, caller, { action: 'watch.created', watch_id, user_id, name }, async (trx) => {
    await context.db.dialect.serialize(trx, `watch:${user_id ?? ''}`)
    await checkAction(trx, caller, wanted)
    const others = await ofOwner(trx, user_id)
    const most = shared ? WATCH_LIMITS.shared : WATCH_LIMITS.own
    if (others.length >= most)
      throw new AppError('too_many_watches', say`There can be ${most} watches. Remove one of them first.`)
    refuseTwice(others, name)
    await trx
      .insertInto('watch')
      .values({
        watch_id,
        user_id,
        preset: null,
        name,
        name_folded: fold(name),
        enabled: enabled ? 1 : 0,
        ...stored({ source, condition, action }),
        interval_s,
        revision: 1,
        next_at: at,
        looked_at: null,
        problem: null,
        created_at: Date.now(),
        updated_at: Date.now(),
      })
      .execute()
    return { shared, source, condition, action, interval_s, enabled }
  })
  return watch_id
}

/** Changes what is given. @throws as `createWatch`, and {AppError} not_found, watch_preset, watch_changed */
export async function updateWatch(
  context: WatchesContext,
  caller: Caller,
  watch_id: string,
  change: WatchChange,
): Promise<void> {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as WatchChange
  const before = await theWatch(context.db.read, caller, watch_id)
  if (before.preset !== null && (given.name !== undefined || given.source !== undefined))
    throw new AppError(
      'watch_preset',
      say`Its name and what it looks at stay as they are. Make a watch of your own instead.`,
    )
  const shared = before.user_id === null
  const now = { ...before, enabled: before.enabled === 1, ...given }
  const off = !now.enabled
  // Switching something off must always work.
  const onlyOff = off && Object.keys(given).length === 1
  if (!onlyOff) await checkSource(context, caller, { ...now, shared })
  if (given.action !== undefined) await checkRoutine(context, caller, now.action)
  const at = await context.time()
  const { user_id } = before
  const action =
    given.enabled === undefined || Object.keys(given).length > 1 ? 'watch.changed' : off ? 'watch.off' : 'watch.on'
  await save(context, caller, { action, watch_id, user_id, name: now.name }, async (trx) => {
    await context.db.dialect.serialize(trx, `watch:${user_id ?? ''}`)
    if (given.action !== undefined) await checkAction(trx, caller, { ...now, shared })
    refuseTwice(
      (await ofOwner(trx, user_id)).filter((row) => row.watch_id !== watch_id),
      now.name,
    )
    const looksElsewhere =
      canonicalJson([now.source, now.condition]) !== canonicalJson([before.source, before.condition])
    const anew = looksElsewhere || (now.enabled && before.enabled === 0)
    const changed = await trx
      .updateTable('watch')
      .set((is) => ({
        name: now.name,
        name_folded: fold(now.name),
        enabled: off ? 0 : 1,
        ...stored(now),
        interval_s: now.interval_s,
        revision: is('revision', '+', 1),
        next_at: anew ? at : Math.min(before.next_at, at + now.interval_s * 1000),
        updated_at: Date.now(),
        ...((anew || off) && { problem: null, looked_at: null }),
      }))
      .where('watch_id', '=', watch_id)
      .where('revision', '=', before.revision)
      .returning('watch_id')
      .executeTakeFirst()
    if (changed === undefined)
      throw new AppError('watch_changed', say`Somebody has changed it meanwhile. Look at it again.`)
    if (looksElsewhere || off) await forget(trx, watch_id, at)
    return given
  })
}

/** @throws {AppError} not_found, watch_preset */
export async function removeWatch(context: WatchesContext, caller: Caller, watch_id: string): Promise<void> {
  const { user_id, name, preset } = await theWatch(context.db.read, caller, watch_id)
  if (preset !== null)
    throw new AppError('watch_preset', say`Every installation begins with this watch. It can be switched off.`)
  await save(context, caller, { action: 'watch.removed', watch_id, user_id, name }, async (trx) => {
    const gone = await trx.deleteFrom('watch').where('watch_id', '=', watch_id).returning('watch_id').executeTakeFirst()
    if (gone === undefined) throw noWatch()
    return {}
  })
}

/** One that the caller may change: their own, or for administrators one that they share. @throws {AppError} not_found */
export async function theWatch(reader: Pick<Trx, 'selectFrom'>, caller: Caller, watch_id: string): Promise<WatchRow> {
  const row = await reader.selectFrom('watch').selectAll().where('watch_id', '=', watch_id).executeTakeFirst()
  const mine = row?.user_id === caller.user_id || (row?.user_id === null && administers(caller))
  if (row === undefined || !mine) throw noWatch()
  return readWatch(row)
}

/** What was known of its subjects; what was crossed is not followed any more. */
async function forget(trx: Trx, watch_id: string, at: number): Promise<void> {
  await trx
    .updateTable('watch_crossing')
    .set({ ended_at: at, ended: 'stopped' })
    .where('watch_id', '=', watch_id)
    .where('ended_at', 'is', null)
    .execute()
  await trx.deleteFrom('watch_state').where('watch_id', '=', watch_id).execute()
}

async function save(
  { db, audit, tellChange }: WatchesContext,
  caller: Caller,
  about: { readonly action: string; readonly watch_id: string; readonly user_id: string | null; readonly name: string },
  work: (trx: Trx) => Promise<Record<string, unknown>>,
): Promise<void> {
  const { action, watch_id, user_id, name } = about
  await db.transaction(async (trx) => {
    const details = await work(trx)
    db.wake(trx, WATCHES_TOPIC)
    await audit.record(trx, { actor: caller, action, target: watch_id, outcome: 'ok', details: { name, ...details } })
    await tellChange(trx, user_id, watch_id)
  })
}

function stored({ source, condition, action }: Pick<WatchRow, 'source' | 'condition' | 'action'>) {
  return {
    source: JSON.stringify(source),
    condition: JSON.stringify(condition),
    action: JSON.stringify(action),
    scope: JSON.stringify(scopeOf(source)),
  }
}

async function ofOwner(trx: Trx, user_id: string | null): Promise<Pick<WatchTable, 'watch_id' | 'name_folded'>[]> {
  return trx
    .selectFrom('watch')
    .select(['watch_id', 'name_folded'])
    .where('user_id', user_id === null ? 'is' : '=', user_id)
    .execute()
}

function refuseTwice(others: readonly Pick<WatchTable, 'name_folded'>[], name: string): void {
  if (others.some(({ name_folded }) => name_folded === fold(name)))
    throw new AppError('watch_exists', say`There is a watch with this name already.`)
}

function noWatch(): AppError {
  return new AppError('not_found', say`There is no such watch.`)
}
