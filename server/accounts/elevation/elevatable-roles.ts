import type { ElevatableRole, Elevatable } from '../../../contract/elevations.ts'
import { EVERYBODY } from '../../../contract/rules.ts'
import type { Reader, Trx } from '../../db/database.ts'
import { roleNames } from '../../db/votes/votes.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'

/** Roles that somebody with another one may ask for. One that administers never is. */
export async function elevatableRoles(reader: Reader, own_role_id: string): Promise<ElevatableRole[]> {
  const rows = await reader
    .selectFrom('role')
    .select(['role_id', 'name', 'elevatable'])
    .where('elevatable', 'is not', null)
    .where('admin', '=', 0)
    .where('role_id', '!=', own_role_id)
    .orderBy('name_folded')
    .execute()
  const roles = rows.map((row) => ({ ...row, ...readElevatable(row)! }))
  const names = await roleNames(
    reader,
    roles.flatMap(({ approvers }) => approvers),
  )
  return roles.map(({ role_id, name, max_minutes, approvers }) => ({
    role_id,
    role: name,
    max_minutes,
    needs: approvers.map((need) => ({ ...need, role: names.get(need.role_id) ?? '' })),
  }))
}

/** As stored. */
export function readElevatable({ elevatable }: { readonly elevatable: string | null }): Elevatable | undefined {
  return elevatable === null ? undefined : (JSON.parse(elevatable) as Elevatable)
}

/**
 * Refuses what nobody could decide, and to hand out the administration for a while. Under ACCOUNTS_LOCK.
 * @throws {AppError} bad_rule
 */
export async function checkElevatable(
  trx: Trx,
  role: { readonly name: string; readonly admin: boolean; readonly everybody?: boolean | undefined },
  { approvers }: Elevatable,
): Promise<void> {
  if (role.admin || role.everybody)
    throw refused(say`The role “${role.name}” cannot be taken for a while.`, 'elevatable')
  const ids = approvers.map(({ role_id }) => role_id)
  if (new Set(ids).size < ids.length) throw refused(say`Name each role once.`, 'elevatable.approvers')
  const known = await trx
    .selectFrom('role')
    .select('role_id')
    .where('role_id', 'in', ids)
    .where((is) => is.not(is.and([is('name_folded', '=', EVERYBODY), is('builtin', '=', 1)])))
    .execute()
  const at = ids.findIndex((id) => known.every(({ role_id }) => role_id !== id))
  if (at !== -1) throw refused(say`There is no such role to decide.`, `elevatable.approvers.${at}.role_id`)
}

function refused(message: Sentence, path: string): AppError {
  return new AppError('bad_rule', message, { errors: [{ path, message }] })
}
