import type { Trx } from '../db/database.ts'
import type { TellNotice } from '../chat/ports/notices.ts'
import type { Turned } from './seen.ts'
import type { WatchRow } from './watch-row.ts'
import type { WatchesContext } from './watches-context.ts'

/** Who is told of what a look has seen. */
export interface Told {
  readonly somebody: boolean
  tell(turned: readonly Turned[], at: number): Promise<void>
}

type To = Parameters<TellNotice>[1]['to']

/**
 * One message for a look, however many subjects have turned: it says how many, and names a machine. What a tool has answered,
 * a row or its value, is no part of it.
 */
export async function toldOf(
  { tellNotice }: Pick<WatchesContext, 'tellNotice'>,
  trx: Trx,
  watch: WatchRow,
): Promise<Told> {
  const { action, watch_id, name, user_id } = watch
  const to = await audience(trx, watch)
  if (to === null) return { somebody: false, tell: () => Promise.resolve() }
  const about = {
    ref_id: watch_id,
    path: `/watches?watch=${watch_id}`,
    name,
    to,
    ...(user_id !== null && { by: user_id }),
  }
  return {
    somebody: true,
    async tell(turned, at) {
      const crossed = turned.filter(({ turn }) => turn !== 'recovered')
      const recovered = action.on_recovery ? turned.filter(({ turn }) => turn === 'recovered') : []
      const [first] = crossed
      if (first !== undefined) {
        const again = first.turn === 'again' ? ` again ${at}` : ''
        const key = `${first.crossing_id} crossed${again}`
        await tellNotice(trx, { ...about, event: 'watch_crossed', detail: detailOf(watch, crossed), key })
      }
      const [back] = recovered
      if (back !== undefined) {
        const key = `${back.crossing_id} recovered`
        await tellNotice(trx, { ...about, event: 'watch_recovered', detail: detailOf(watch, recovered), key })
      }
    },
  }
}

function detailOf({ source, condition, preset }: WatchRow, turned: readonly Turned[]): Record<string, string | number> {
  const { machine, value } = turned[0]!
  return {
    count: turned.length,
    ...(preset !== null && { preset }),
    ...(machine !== '' && { machine }),
    ...(source.kind === 'figure' && {
      figure: source.figure,
      bound: condition.bound,
      ...(typeof value === 'number' && { value }),
    }),
  }
}

/**
 * Whom it tells now: what only administrators may name counts only while the owner is one, and what was named may be gone.
 * Null: nobody.
 */
async function audience(trx: Trx, { action, user_id }: WatchRow): Promise<To | null> {
  const { tell } = action
  if (tell === null) return null
  const mine = user_id === null ? null : { user_ids: [user_id] }
  if (tell.to === 'me' || (user_id !== null && !(await isAdministrator(trx, user_id)))) return mine
  switch (tell.to) {
    case 'administrators': {
      const role = await trx
        .selectFrom('role')
        .select('role_id')
        .where('admin', '=', 1)
        .orderBy('builtin', 'desc')
        .limit(1)
        .executeTakeFirst()
      return role ?? null
    }
    case 'people': {
      const people = await trx
        .selectFrom('user')
        .select('user_id')
        .where('user_id', 'in', [...tell.user_ids])
        .where('deleted_at', 'is', null)
        .where('disabled_at', 'is', null)
        .orderBy('user_id')
        .execute()
      return people.length === 0 ? null : { user_ids: people.map((one) => one.user_id) }
    }
    case 'role': {
      const { role_id } = tell
      return (await trx.selectFrom('role').select('role_id').where('role_id', '=', role_id).executeTakeFirst()) ?? null
    }
    case 'channel': {
      const { channel_id } = tell
      const channel = await trx
        .selectFrom('channel')
        .select('channel_id')
        .where('channel_id', '=', channel_id)
        .where('user_id', 'is', null)
        .executeTakeFirst()
      return channel ?? null
    }
  }
}

async function isAdministrator(trx: Trx, user_id: string): Promise<boolean> {
  const row = await trx
    .selectFrom('user')
    .innerJoin('role', 'role.role_id', 'user.role_id')
    .select('admin')
    .where('user_id', '=', user_id)
    .executeTakeFirst()
  return row?.admin === 1
}
