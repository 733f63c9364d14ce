import type { z } from 'zod'
import { EVERYBODY, type Rule } from '../../../contract/rules.ts'
import type { Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'

/** Refuses rules that leave a decision to a role that nobody can have. Under ACCOUNTS_LOCK. @throws {AppError} bad_rule */
export async function checkApprovers(trx: Trx, rules: readonly z.infer<typeof Rule>[]): Promise<void> {
  const wanted = rules.flatMap(({ approvers }, i) => (approvers ?? []).map(({ role_id }, at) => ({ role_id, i, at })))
  if (wanted.length === 0) return
  const known = await trx
    .selectFrom('role')
    .select('role_id')
    .where((is) => is.not(is.and([is('name_folded', '=', EVERYBODY), is('builtin', '=', 1)])))
    .execute()
  const ids = new Set(known.map(({ role_id }) => role_id))
  const wrong = wanted.find(({ role_id }) => !ids.has(role_id))
  if (wrong === undefined) return
  const why = say`There is no such role to decide.`
  throw new AppError('bad_rule', say`The rule for ${rules[wrong.i]!.subject} cannot be saved. ${why}`, {
    errors: [{ path: `rules.${wrong.i}.approvers.${wrong.at}.role_id`, message: why }],
  })
}

/** Refuses to remove a role whose users decide something: nobody could any more. @throws {AppError} role_in_use */
export async function refuseApprover(trx: Trx, { role_id, name }: { role_id: string; name: string }): Promise<void> {
  const rule = await trx
    .selectFrom('role_rule')
    .innerJoin('role', 'role.role_id', 'role_rule.role_id')
    .select(['role.name', 'role_rule.subject'])
    .where('role_rule.role_id', '!=', role_id)
    // Ids have no characters that mean something here.
    .where('role_rule.spec', 'like', `%"role_id":"${role_id}"%`)
    .executeTakeFirst()
  if (rule)
    throw new AppError(
      'role_in_use',
      say`By the rule for ${rule.subject} of the role “${rule.name}”, users with the role “${name}” decide. Change that rule first.`,
    )
}
