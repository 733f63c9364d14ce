import { peopleInForce } from '../../accounts/users/people-in-force.ts'
import type { Activity } from '../../chat/history/activity.ts'
import type { Database, Trx } from '../../db/database.ts'

/**
 * Tells whoever may see a procedure that it has changed, in the transaction of the change: who wrote it, administrators, and
 * people whose role has a rule about procedures.
 */
export function tellProcedureChange(activity: Activity) {
  return async (trx: Trx, procedure_id: string): Promise<void> => {
    const rows = await peopleInForce(trx)
      .where((user) =>
        user.or([
          user('role.admin', '=', 1),
          user.exists(
            user
              .selectFrom('procedure')
              .select('procedure_id')
              .whereRef('owner_id', '=', 'user.user_id')
              .where('procedure_id', '=', procedure_id),
          ),
          user.exists(
            user
              .selectFrom('procedure_version')
              .select('procedure_id')
              .whereRef('author_id', '=', 'user.user_id')
              .where('procedure_id', '=', procedure_id),
          ),
          user.exists(
            user
              .selectFrom('role_rule')
              .select('subject')
              .whereRef('role_rule.role_id', '=', 'role.role_id')
              .where('subject', 'in', ['procedures.review', `procedure:${procedure_id}`]),
          ),
        ]),
      )
      .execute()
    const user_ids = rows.map(({ user_id }) => user_id)
    await activity.appendForEach(trx, user_ids, { type: 'procedure.changed', data: { procedure_id } })
  }
}

/** Roles whose people may review procedures: those that administer, and those with a rule that does not deny it. */
export async function reviewingRoles({ read }: Pick<Database, 'read'>): Promise<string[]> {
  const rows = await read
    .selectFrom('role')
    .select('role.role_id')
    .where((role) =>
      role.or([
        role('role.admin', '=', 1),
        role.exists(
          role
            .selectFrom('role_rule')
            .select('subject')
            .whereRef('role_rule.role_id', '=', 'role.role_id')
            .where('subject', '=', 'procedures.review')
            .where('effect', '!=', 'deny'),
        ),
      ]),
    )
    .where((role) =>
      role.not(
        role.exists(
          role
            .selectFrom('role_rule')
            .select('subject')
            .whereRef('role_rule.role_id', '=', 'role.role_id')
            .where('subject', '=', 'procedures.review')
            .where('effect', '=', 'deny'),
        ),
      ),
    )
    .orderBy('role.role_id')
    .execute()
  return rows.map(({ role_id }) => role_id)
}
