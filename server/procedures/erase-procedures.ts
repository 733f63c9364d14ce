import type { Database } from '../db/database.ts'

/**
 * Removes what a user has written and nobody has reviewed. What was reviewed stays, as the installation's: without its author
 * once the account is gone.
 */
export async function eraseProcedures(db: Pick<Database, 'transaction' | 'dialect'>, user_id: string): Promise<void> {
  await db.transaction(async (trx) => {
    await db.dialect.serialize(trx, 'procedures')
    const gone = await trx
      .deleteFrom('procedure_version')
      .where('author_id', '=', user_id)
      .where('state', 'in', ['draft', 'in_review', 'rejected'])
      .returning('procedure_id')
      .execute()
    const ids = [...new Set(gone.map(({ procedure_id }) => procedure_id))]
    if (ids.length === 0) return
    await trx
      .deleteFrom('procedure')
      .where('procedure_id', 'in', ids)
      .where((row) =>
        row.not(
          row.exists(
            row
              .selectFrom('procedure_version')
              .select('version')
              .whereRef('procedure_version.procedure_id', '=', 'procedure.procedure_id'),
          ),
        ),
      )
      .execute()
  })
}
