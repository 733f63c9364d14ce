import { peopleInForce } from '../../accounts/users/people-in-force.ts'
import type { Activity } from '../../chat/history/activity.ts'
import type { Database, Reader, Trx } from '../../db/database.ts'

/**
 * Tells whoever may see a procedure that it has changed, in the transaction of the change: who wrote it, administrators, and
 * people whose role has a rule about procedures.
 */
export function tellProcedureChange(activity: Activity) {
  return async (trx: Trx, procedure_id: string): Promise<void> => {
    const owners = trx.selectFrom('procedure').select('owner_id').where('procedure_id', '=', procedure_id)
    const authors = trx.selectFrom('procedure_version').select('author_id').where('procedure_id', '=', procedure_id)
    const ruled = rules(trx).where('subject', 'in', ['procedures.review', `procedure:${procedure_id}`])
    const rows = await peopleInForce(trx)
      .where((user) =>
        user.or([
          user('role.admin', '=', 1),
          user('user.user_id', 'in', owners),
          user('user.user_id', 'in', authors),
          user('role.role_id', 'in', ruled),
        ]),
      )
      .execute()
    const user_ids = rows.map(({ user_id }) => user_id)
    await activity.appendForEach(trx, user_ids, { type: 'procedure.changed', data: { procedure_id } })
  }
}

/** Roles whose people may review procedures: those that administer, and those with a rule that does not deny it. */
export async function reviewingRoles({ read }: Pick<Database, 'read'>): Promise<string[]> {
  const aboutReview = rules(read).where('subject', '=', 'procedures.review')
  const rows = await read
    .selectFrom('role')
    .select('role_id')
    .where((role) => role.or([role('admin', '=', 1), role('role_id', 'in', aboutReview.where('effect', '!=', 'deny'))]))
    .where('role_id', 'not in', aboutReview.where('effect', '=', 'deny'))
    .orderBy('role_id')
    .execute()
  return rows.map(({ role_id }) => role_id)
}

/** The roles that have rules. */
function rules(db: Reader) {
  return db.selectFrom('role_rule').select('role_id')
}
