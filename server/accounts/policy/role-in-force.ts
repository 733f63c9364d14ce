import { sql } from 'kysely'
import type { Elevated } from '../../../contract/route.ts'

/**
 * Which role counts for a signed-in person: the one that they have taken for a while, as long as it lasts, else their own.
 * Read at each use, so nothing has to happen for the user's own role to be back, in any process.
 */

/** Joins the elevation of the user that lasts at this moment. */
export function elevationInForce(now: number) {
  return sql<boolean>`elevation.user_id = ${sql.ref('user.user_id')} and elevation.closed_at is null
    and elevation.status = 'active' and elevation.ends_at > ${now}`
}

/** Joins the role that counts, once that is joined. */
export const ROLE_IN_FORCE = sql<boolean>`role.role_id = coalesce(elevation.role_id, ${sql.ref('user.role_id')})`

export const ELEVATION_COLUMNS = [
  'elevation.elevation_id',
  'elevation.role as elevated_role',
  'elevation.own_role',
  'elevation.ends_at as elevated_until',
  'user.role_id as own_role_id',
] as const

interface ElevationRow {
  readonly elevation_id: string | null
  readonly elevated_role: string | null
  readonly own_role: string | null
  readonly elevated_until: number | null
  readonly own_role_id: string
}

/** Undefined for a row without one. */
export function elevatedOf(row: ElevationRow | object): Elevated | undefined {
  if (!('elevation_id' in row) || row.elevation_id === null) return undefined
  const { elevation_id, elevated_role, own_role, own_role_id, elevated_until } = row
  return { elevation_id, role: elevated_role!, own_role: own_role!, own_role_id, ends_at: Number(elevated_until) }
}
