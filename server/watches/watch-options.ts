import type { Caller } from '../../contract/route.ts'
import { administers } from './check-watch.ts'
import type { WatchesContext } from './watches-context.ts'

/** People that a form offers. */
const PEOPLE = 200

/** What a watch of the caller's may do: only administrators choose among others. */
export async function watchOptions({ db: { read }, routines }: WatchesContext, caller: Caller) {
  const own = await routines.of(caller.user_id)
  const admin = administers(caller)
  const nobody = { roles: [], channels: [], people: [] }
  const others = admin
    ? {
        roles: await read
          .selectFrom('role')
          .select(['role_id', 'name'])
          .where('name_folded', '!=', 'everybody')
          .orderBy('name_folded')
          .execute(),
        channels: await read
          .selectFrom('channel')
          .select(['channel_id', 'name'])
          .where('user_id', 'is', null)
          .orderBy('name_folded')
          .execute(),
        people: await read
          .selectFrom('user')
          .select(['user_id', 'username', 'display_name'])
          .where('disabled_at', 'is', null)
          .where('deleted_at', 'is', null)
          .orderBy('username_folded')
          .limit(PEOPLE)
          .execute(),
      }
    : nobody
  return { admin, ...others, routines: [...own] }
}
