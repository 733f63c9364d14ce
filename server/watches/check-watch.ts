import type { Caller } from '../../contract/route.ts'
import { INSTALLATION_FIGURES, WATCH_LIMITS } from '../../contract/watch-limits.ts'
import type { WatchAction, WatchCondition, WatchSource } from '../../contract/watch-values.ts'
import type { Trx } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say, Sentence } from '../kernel/sentence.ts'
import { fitCall } from './observe-table.ts'
import { chosen, worksSomewhere } from './observe.ts'
import type { WatchesContext } from './watches-context.ts'

/** What a person wants to be watched. */
export interface Wanted {
  readonly shared: boolean
  readonly source: WatchSource
  readonly condition: WatchCondition
  readonly action: WatchAction
}

/** Whether the caller administers by their own role: one that they have for a while makes nothing that lasts. */
export function administers({ admin, elevated }: Pick<Caller, 'admin' | 'elevated'>): boolean {
  return admin && elevated === undefined
}

/** The only subjects that looks at this source may use, whatever the owner's role allows besides. */
export function scopeOf(source: WatchSource): readonly string[] {
  return source.kind === 'table' ? [`tool:${source.module}.${source.tool}`] : []
}

/** Refuses what its owner may not look at. @throws {AppError} bad_watch, watch_not_allowed */
export async function checkSource(
  context: Pick<WatchesContext, 'policy' | 'hosts' | 'tools'>,
  caller: Caller,
  { source, condition, shared }: Omit<Wanted, 'action'>,
): Promise<void> {
  checkCondition(source, condition)
  const admin = administers(caller)
  if (shared && source.kind === 'table')
    throw bad(say`What all administrators share looks at figures, and calls no tool.`)
  if (source.kind === 'figure' && INSTALLATION_FIGURES.includes(source.figure)) {
    if (!admin) throw notAllowed(say`Only administrators may watch this.`)
    if (source.machines.of !== 'local') throw bad(say`The installation has this figure, and no machine.`)
    return
  }
  const policy = await context.policy.forUser(caller.user_id, scopeOf(source), 'token')
  if (policy === null) throw notAllowed(say`Its owner’s account is disabled.`)
  const hosts = worksSomewhere(source)
    ? chosen(source.machines, await context.hosts.read(), shared ? null : policy)
    : []
  // A tag that no machine has yet is as good as any.
  if (hosts instanceof Sentence) {
    if (source.machines.of === 'tag') return
    throw bad(hosts)
  }
  if (source.kind !== 'table') return
  if (JSON.stringify(source.arguments).length > WATCH_LIMITS.arguments)
    throw bad(say`The arguments are too large: at most ${WATCH_LIMITS.arguments} characters.`)
  const fit = await fitCall(context, policy, source, hosts)
  if (fit instanceof Sentence) throw notAllowed(fit)
}

function checkCondition(source: WatchSource, { is, bound, back }: WatchCondition): void {
  const number = typeof bound === 'number' && Number.isFinite(bound)
  if (!number && (is !== 'equals' || source.kind === 'figure')) throw bad(say`The bound must be a number.`)
  if (back === null) return
  if (is === 'equals') throw bad(say`Only what is above or below a bound comes back across another one.`)
  if (is === 'above' ? back > Number(bound) : back < Number(bound))
    throw bad(say`The bound for recovery lies beyond the bound itself.`)
}

/**
 * Refuses an action that is not the caller's to choose. In the transaction that saves it.
 * @throws {AppError} bad_watch, watch_not_allowed, unknown_role, unknown_channel
 */
export async function checkAction(trx: Trx, caller: Caller, { action, shared }: Wanted): Promise<void> {
  const { tell, routine_id } = action
  if (shared && routine_id !== null)
    throw bad(say`A routine has an owner, and a watch that all administrators share has none.`)
  if (tell === null || tell.to === 'me') {
    if (tell !== null && shared) throw bad(say`Say who is told: it belongs to all administrators.`)
    return
  }
  if (!administers(caller)) throw notAllowed(say`Only administrators may have others told.`)
  if (tell.to === 'role') {
    const row = await trx.selectFrom('role').select('role_id').where('role_id', '=', tell.role_id).executeTakeFirst()
    if (row === undefined) throw new AppError('unknown_role', say`There is no such role.`)
  }
  if (tell.to === 'channel') {
    const row = await trx
      .selectFrom('channel')
      .select('channel_id')
      .where('channel_id', '=', tell.channel_id)
      .where('user_id', 'is', null)
      .executeTakeFirst()
    if (row === undefined) throw new AppError('unknown_channel', say`There is no such channel.`)
  }
  if (tell.to === 'people') {
    const ids = [...new Set(tell.user_ids)]
    const rows = await trx
      .selectFrom('user')
      .select('user_id')
      .where('user_id', 'in', ids)
      .where('deleted_at', 'is', null)
      .execute()
    if (rows.length < ids.length) throw bad(say`There is no such person.`)
  }
}

/** Outside a transaction: routines have their own. @throws {AppError} bad_watch */
export async function checkRoutine(
  { routines }: Pick<WatchesContext, 'routines'>,
  { user_id }: Caller,
  { routine_id }: WatchAction,
): Promise<void> {
  if (routine_id === null) return
  const own = await routines.of(user_id)
  if (!own.some((one) => one.routine_id === routine_id)) throw bad(say`There is no such routine.`)
}

function bad(why: Sentence): AppError {
  return new AppError('bad_watch', why)
}

function notAllowed(why: Sentence): AppError {
  return new AppError('watch_not_allowed', why)
}
