import type { Reader } from '../../../db/database.ts'

/** Which of these ids of packages an installed version or the backup of a removed module names. */
export async function namedPackages(db: Reader, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const versions = await db
    .selectFrom('module_version')
    .select(({ fn }) => fn.coalesce('stored_as', 'digest').as('stored_as'))
    .where(({ or, eb, and }) =>
      or([eb('stored_as', 'in', ids), and([eb('stored_as', 'is', null), eb('digest', 'in', ids)])]),
    )
    .execute()
  const backups = await db.selectFrom('module_backup').select('stored_as').where('stored_as', 'in', ids).execute()
  return new Set([...versions, ...backups].map(({ stored_as }) => stored_as))
}

/** The id of the package of an installed version; null when none has this digest. */
export async function packageOf(db: Reader, digest: string): Promise<string | null> {
  const row = await db
    .selectFrom('module_version')
    .select(['digest', 'stored_as'])
    .where('digest', '=', digest)
    .executeTakeFirst()
  return row === undefined ? null : (row.stored_as ?? row.digest)
}
