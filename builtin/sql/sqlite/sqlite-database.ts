import type { SqlSettings } from '../connections/sql-settings.ts'
import { typedRows } from '../connections/typed-rows.ts'
import { OutcomeUnknown, type Parameter, type SqlDatabase, type SqlRows } from '../sql-database.ts'
import { askProcess } from './ask-process.ts'
import { sqliteFile } from './sqlite-file.ts'
import { SQLITE_SCHEMA } from './sqlite-schema.ts'
import type { SqliteCell, SqliteQuestion, SqliteRows } from './sqlite-question.ts'

const SIZE_LIMIT = 4_000_000
const ROW_LIMIT = 1000
const UNDO_MS = 5000

/** A SQLite file as the tools use it, each statement in a separate process. */
export function sqliteDatabase(name: string, address: string, { dataFolder, timeoutMs }: SqlSettings): SqlDatabase {
  async function ask(
    statements: readonly { sql: string; parameters: readonly Parameter[] }[],
    { mode = 'read', limit = ROW_LIMIT }: { mode?: SqliteQuestion['mode']; limit?: number },
    signal: AbortSignal,
  ): Promise<readonly SqliteRows[]> {
    const file = await sqliteFile(name, address, dataFolder)
    await undoing.get(file)
    const question = { file, mode, timeout_ms: timeoutMs, statements, limit, size: SIZE_LIMIT }
    try {
      return await askProcess(question, signal)
    } catch (error) {
      if (mode === 'write' || mode === 'attempt') undo({ ...question, mode: 'write' })
      signal.throwIfAborted()
      const why = error instanceof Error ? explained(error.message.replaceAll(file, 'the file')) : String(error)
      const text = `${name}: ${why.replace(/\.$/, '')}.`
      throw mode === 'write' && /^(Stopped|The process)/.test(why)
        ? new OutcomeUnknown(text, { cause: error })
        : new Error(text, { cause: error })
    }
  }
  const one = async (sql: string, parameters: readonly Parameter[], limit: number, signal: AbortSignal) =>
    toRows((await ask([{ sql, parameters }], { limit }, signal))[0]!)

  return {
    name,
    dialect: 'sqlite',
    async about(signal) {
      const [row] = (await one('select sqlite_version(), count(*) from sqlite_schema', [], 1, signal)).rows
      return `SQLite ${row?.[0]}, ${row?.[1]} objects`
    },
    async schema(filter, signal) {
      const statements = SQLITE_SCHEMA.map((sql) => ({ sql, parameters: [filter] }))
      const [tables, columns, indexes, foreign_keys] = (await ask(statements, {}, signal)).map(toRows)
      return { tables: tables!, columns: columns!, indexes: indexes!, foreign_keys: foreign_keys! }
    },
    query: (sql, parameters, limit, signal) => one(sql, parameters, limit, signal),
    async explain(sql, parameters, signal) {
      const [plan] = await ask([{ sql: `explain query plan ${sql}`, parameters }], { mode: 'explain' }, signal)
      const { rows } = toRows(plan!)
      return { columns: [{ name: 'step', type: 'text' }], rows: indented(rows), more: false }
    },
    async attempt(sql, parameters, signal) {
      const [result] = await ask([{ sql, parameters }], { mode: 'attempt', limit: 200 }, signal)
      return { affected: result!.affected, returned: result!.columns.length === 0 ? null : toRows(result!) }
    },
    async execute(sql, parameters, signal) {
      const [result] = await ask([{ sql, parameters }], { mode: 'write' }, signal)
      return { affected: result!.affected, returned: result!.columns.length === 0 ? null : toRows(result!) }
    },
  }
}

/** By file: the rollback of a change whose process was killed. */
const undoing = new Map<string, Promise<void>>()

/**
 * A killed process leaves its change half written, next to the journal that undoes it. Only a process that may write
 * can apply the journal. The caller who cancelled need not wait for that, but the next statement on the file does.
 */
function undo(question: SqliteQuestion): void {
  const done = askProcess({ ...question, statements: [], timeout_ms: UNDO_MS }, AbortSignal.timeout(UNDO_MS)).then(
    () => undefined,
    () => undefined,
  )
  const { file } = question
  undoing.set(file, done)
  void done.then(() => undoing.get(file) === done && undoing.delete(file))
}

function explained(message: string): string {
  if (!message.includes('attempt to write a readonly database')) return message
  return 'a program that ended in the middle of a change left the file in need of repair. Opening it once with a program that may write repairs it'
}

/** SQLite's columns have no fixed type, so their values decide. */
function toRows({ columns, rows, more, too_large }: SqliteRows): SqlRows {
  const typed = columns.map((name, index) => {
    const values = rows.map((row) => row[index] ?? null).filter((value) => value !== null)
    const all = (kinds: readonly string[]) => values.length > 0 && values.every((value) => kinds.includes(typeof value))
    const type = all(['bigint'])
      ? ('integer' as const)
      : all(['bigint', 'number'])
        ? ('number' as const)
        : ('text' as const)
    return { name, type }
  })
  const texts = rows.map((row) => row.map(toText))
  return typedRows(typed, texts, { more, ...(too_large ? { too_large } : {}) })
}

/** SQLite returns the plan as a tree: id, parent, unused, description. */
function indented(rows: SqlRows['rows']): string[][] {
  const depths = new Map<unknown, number>()
  return rows.map(([id, parent, , detail]) => {
    const depth = (depths.get(parent) ?? -1) + 1
    depths.set(id, depth)
    return [`${'  '.repeat(depth)}${detail}`]
  })
}

function toText(value: SqliteCell): string | null {
  if (value === null) return null
  return value instanceof Uint8Array ? `0x${Buffer.from(value).toString('hex')}` : String(value)
}
