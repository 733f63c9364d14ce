import type { z } from 'zod'
import type { Elevation } from '../../../contract/elevations.ts'
import type { Caller } from '../../../contract/route.ts'
import type { ElevationTable } from '../../db/rows/account-tables.ts'
import type { Reader } from '../../db/database.ts'
import { enabledPeople, type Needed, type Subject } from '../../db/votes/voters.ts'
import { roleNames, votesSaid } from '../../db/votes/votes.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import { iso, isoOrNull } from '../../kernel/time.ts'

type Entry = z.input<typeof Elevation>

/** An elevation with the names of who asks. */
function elevations(reader: Reader) {
  return reader
    .selectFrom('elevation')
    .innerJoin('user', 'user.user_id', 'elevation.user_id')
    .selectAll('elevation')
    .select(['user.username', 'user.display_name'])
}

export type ElevationRow = ElevationTable & { readonly username: string; readonly display_name: string }

/** @throws {AppError} not_found */
export async function findElevation(reader: Reader, elevation_id: string): Promise<ElevationRow> {
  const row = await elevations(reader).where('elevation_id', '=', storable(elevation_id)).executeTakeFirst()
  if (!row) throw noElevation()
  return row
}

export function noElevation(): AppError {
  return new AppError('not_found', say`There is no such request for a role.`)
}

/**
 * Those of the caller; and of others: those that the caller may vote on, has voted on, or, as an administrator, may end.
 * The newest of each, as many as `limit`.
 */
export async function elevationsFor(
  reader: Reader,
  caller: Caller,
  { own_role_id, now, limit }: { readonly own_role_id: string; readonly now: number; readonly limit: number },
): Promise<ElevationRow[]> {
  const own = elevations(reader).where('elevation.user_id', '=', caller.user_id)
  const voted = reader.selectFrom('vote').select('subject_id').where('user_id', '=', caller.user_id)
  const others = elevations(reader)
    .where('elevation.user_id', '!=', caller.user_id)
    .where((is) =>
      is.or([
        is.and([
          is('elevation.closed_at', 'is', null),
          is('elevation.ends_at', '>', now),
          caller.admin
            ? is.lit(true)
            : // Ids have no characters that mean something here.
              is.and([is('elevation.status', '=', 'requested'), is('needs', 'like', `%"${own_role_id}"%`)]),
        ]),
        is('elevation_id', 'in', voted),
      ]),
    )
  const newest = await Promise.all(
    [own, others].map((some) => some.orderBy('elevation_id', 'desc').limit(limit).execute()),
  )
  return newest.flat().toSorted((a, b) => (a.elevation_id < b.elevation_id ? 1 : -1))
}

/** As the caller sees them now: what time has closed is closed, whether or not anybody has noted it. */
export async function elevationEntries(
  reader: Reader,
  caller: Caller,
  rows: readonly ElevationRow[],
  { own_role_id, now }: { readonly own_role_id: string; readonly now: number },
): Promise<Entry[]> {
  if (rows.length === 0) return []
  const said = Map.groupBy(
    await votesSaid(
      reader,
      rows.map(({ elevation_id }) => elevation_id),
    ),
    ({ subject_id }) => subject_id,
  )
  const voters = [...new Set([...said.values()].flat().map(({ user_id }) => user_id))]
  const people = voters.length === 0 ? [] : await enabledPeople(reader).where('user.user_id', 'in', voters).execute()
  const roles = new Map(people.map(({ user_id, role_id }) => [user_id, role_id]))
  const names = await roleNames(reader, rows.flatMap(needsOf))
  return rows.map((row) => {
    const votes = said.get(row.elevation_id) ?? []
    const status = statusAt(row, now)
    const own = row.user_id === caller.user_id
    const mine = votes.find(({ user_id }) => user_id === caller.user_id)?.decision ?? null
    const may = status === 'requested' && !own && needsOf(row).some(({ role_id }) => role_id === own_role_id)
    const open = status === 'requested' || status === 'active'
    return {
      elevation_id: row.elevation_id,
      status,
      asked_by: { username: row.username, name: row.display_name, role: row.own_role },
      own,
      role_id: row.role_id,
      role: row.role,
      minutes: row.minutes,
      reason: row.reason,
      needs: needsOf(row).map(({ role_id, count }) => ({
        role_id,
        role: names.get(role_id) ?? '',
        count,
        given: votes.filter((one) => one.decision === 'approve' && roles.get(one.user_id) === role_id).length,
      })),
      votes: votes.map(({ username, name, decision, at }) => ({ username, name, decision, at: iso(at) })),
      my_vote: mine,
      decisions: !may || mine === 'deny' ? [] : mine === 'approve' ? ['deny'] : ['approve', 'deny'],
      may_end: open && (own || caller.admin),
      requested_at: iso(row.requested_at),
      started_at: isoOrNull(row.started_at),
      ends_at: iso(row.ends_at),
      closed_at: open ? null : iso(row.closed_at ?? row.ends_at),
      closed_by: row.closed_by,
    }
  })
}

/** What it is at a time: an end needs nobody who notes it. */
function statusAt(row: Pick<ElevationTable, 'status' | 'ends_at'>, now: number): ElevationTable['status'] {
  if (row.ends_at > now) return row.status
  return row.status === 'requested' ? 'expired' : row.status === 'active' ? 'ended' : row.status
}

export function needsOf({ needs }: Pick<ElevationTable, 'needs'>): Needed[] {
  return JSON.parse(needs) as Needed[]
}

export function subjectOf(row: Pick<ElevationTable, 'elevation_id' | 'user_id' | 'needs'>): Subject {
  return { subject_id: row.elevation_id, asker: row.user_id, needs: needsOf(row) }
}
