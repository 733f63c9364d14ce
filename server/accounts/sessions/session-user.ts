import type { z } from 'zod'
import { LANGUAGES, type SessionUser } from '../../../contract/accounts.ts'
import type { ElevationNow } from '../../../contract/elevations.ts'
import type { Caller, Elevated } from '../../../contract/route.ts'
import { iso } from '../../kernel/time.ts'
import type { Roles } from '../policy/load-role.ts'
import { callerPermissions } from '../policy/policy.ts'

export type Language = (typeof LANGUAGES)[number]

/** The stored language, or English if this version does not have it. */
export function languageOf(stored: string): Language {
  return LANGUAGES.find((language) => language === stored) ?? 'en'
}

function elevationNow({ elevation_id, role, own_role, ends_at }: Elevated): ElevationNow {
  return { elevation_id, role, own_role, ends_at: iso(ends_at) }
}

/** The signed-in user as shown in the interface, with their current permissions. */
export async function sessionUser(roles: Roles, caller: Caller): Promise<z.input<typeof SessionUser>> {
  const { role, permissions } = await callerPermissions(roles, caller)
  return {
    id: caller.user_id,
    username: caller.username,
    display_name: caller.display_name,
    role,
    admin: caller.admin,
    language: languageOf(caller.language),
    permissions,
    ...(caller.elevated && { elevation: elevationNow(caller.elevated) }),
  }
}
