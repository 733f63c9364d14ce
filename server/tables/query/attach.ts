import type { Duck } from './duck.ts'
import { sqlName, sqlText } from '../shape/sql-text.ts'
import { TableError } from '../shape/table-error.ts'
import { say } from '../../kernel/sentence.ts'

/** Opens a cached form for reading, under a name. @throws {TableError} stale when it is missing or damaged */
export async function attach(duck: Duck, file: string, name: string): Promise<void> {
  try {
    await duck.run(`ATTACH ${sqlText(file)} AS ${sqlName(name)} (READ_ONLY)`)
  } catch {
    throw new TableError('stale', say`The cached form of this table cannot be opened.`)
  }
}
