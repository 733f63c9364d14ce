import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely } from 'kysely'
import type { Dialect } from '../../../server/db/dialect.ts'
import { openPostgres } from '../../../server/db/postgres/postgres.ts'
import type { Tables } from '../../../server/db/schema.ts'
import { openSqlite } from '../../../server/db/sqlite.ts'

export interface BareDatabase extends AsyncDisposable {
  readonly db: Kysely<Tables>
  readonly dialect: Dialect
}

/** A database as the service opens it, but not migrated. `url` empty: the embedded one in `folder`. */
export async function openBareDatabase(url: string, folder: string): Promise<BareDatabase> {
  const backups = join(folder, 'backups')
  mkdirSync(backups, { recursive: true })
  const fail = (error: Error): never => {
    throw error
  }
  const { kysely, dialect } =
    url === '' ? openSqlite(join(folder, 'reeve.db'), backups) : await openPostgres(url, { onError: fail })
  const db = new Kysely<Tables>({ dialect: kysely })
  return {
    db,
    dialect,
    async [Symbol.asyncDispose]() {
      await dialect.close()
      await db.destroy()
    },
  }
}
