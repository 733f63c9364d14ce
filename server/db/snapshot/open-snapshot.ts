import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openPostgresSnapshot } from './postgres-snapshot.ts'
import type { Snapshot } from './snapshot.ts'
import { openSqliteSnapshot } from './sqlite-snapshot.ts'
import { OperatorProblem } from '../../kernel/operator-problem.ts'

/** There is no database at the configured place. The message is for the operator. */
export class NoDatabase extends OperatorProblem {
  override readonly name = 'NoDatabase'
}

/** A snapshot of the configured database, which may be in use. @throws {NoDatabase} */
export async function openSnapshot(url: string | null, folder: string): Promise<Snapshot> {
  if (url !== null) return openPostgresSnapshot(url)
  return openSqliteSnapshot(embeddedDatabase(folder))
}

/** Path of the embedded database. @throws {NoDatabase} when there is none */
export function embeddedDatabase(folder: string): string {
  const file = join(folder, 'reeve.db')
  if (existsSync(file)) return file
  throw new NoDatabase(`There is no database in ${folder}. Start the service once, or set REEVE_DATA_DIR.`)
}
