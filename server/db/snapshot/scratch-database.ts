import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Kysely, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Tables } from '../schema.ts'
import { openSqlite } from '../sqlite.ts'
import type { Snapshot } from './snapshot.ts'
import { openSqliteSnapshot } from './sqlite-snapshot.ts'

/** A database to load a snapshot into, in a file of its own. Nothing is flushed until `settle`. */
export interface ScratchDatabase extends AsyncDisposable {
  readonly db: Kysely<Tables>
  readonly dialect: Dialect
  snapshot(): Promise<Snapshot>
  /** Id under which bytes are stored → what their rows say about them. */
  storedFiles(): Promise<Map<string, { size: number; sha256: string }>>
  /** Flushes everything to disk, into the one file. */
  settle(): Promise<void>
}

export function openScratchDatabase(file: string): ScratchDatabase {
  const opened = openSqlite(file, dirname(file), { durable: false })
  const { kysely } = opened
  // The source of the data is copy enough.
  const dialect: Dialect = { ...opened.dialect, backup: async () => null }
  const db = new Kysely<Tables>({ dialect: kysely })
  return {
    db,
    dialect,
    snapshot: async () => openSqliteSnapshot(file),
    async storedFiles() {
      const { rows: columns } = await sql<{ name: string }>`select name from pragma_table_info('file')`.execute(db)
      const id = columns.some(({ name }) => name === 'stored_as') ? 'stored_as' : 'file_id'
      const rows = await sql<{ stored_as: string; size: number; sha256: string }>`
        select distinct ${sql.ref(id)} as stored_as, size, sha256 from file`.execute(db)
      return new Map(rows.rows.map(({ stored_as, ...row }) => [stored_as, row]))
    },
    async settle() {
      await sql`pragma wal_checkpoint(truncate)`.execute(db)
      await using handle = await open(file, 'r+')
      await handle.sync()
    },
    async [Symbol.asyncDispose]() {
      await db.destroy()
      await dialect.close()
    },
  }
}
