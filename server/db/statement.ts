import {
  type Compilable,
  type CompiledQuery,
  type Expression,
  type Insertable,
  type Kysely,
  PostgresAdapter,
  type QueryResult,
  type RawBuilder,
  sql,
} from 'kysely'
import { DATABASE_TIME } from './database-time.ts'
import type { Dialect } from './dialect.ts'
import type { Reader } from './reader.ts'
import type { Tables } from './schema.ts'

type Scalar = string | number | null
/** Values of one execution by name. A list is bound as one value, so the statement is the same for any length. */
type Values = Readonly<Record<string, Scalar | readonly string[]>>
/** Turns a list parameter into what `in` takes: `.where('message_id', 'in', anyOf(is.ids))`. */
type AnyOf = (list: readonly string[]) => Expression<string>
/** The time of the database, for what several processes compare. */
type Now = RawBuilder<number>
type Executes = Pick<Reader, 'getExecutor'>

/**
 * A query that is built and compiled once per kind of database instead of at each execution, for paths that run per
 * request or per step. `build` runs once, with a placeholder for each value: it must not look at the values, only hand
 * them to Kysely. What depends on a value (another column, another order) is another query.
 *
 *     const titleOf = query((db, is: { id: string }) =>
 *       db.selectFrom('conversation').select('title').where('conversation_id', '=', is.id))
 *     const row = await titleOf.first(db.read, { id })
 */
export function query<V extends Values, Row>(build: (db: Reader, is: V, anyOf: AnyOf, now: Now) => Compilable<Row>) {
  const statement = new Statement<Reader, V, Row>(build)
  return {
    all: async (on: Reader, values: V): Promise<Row[]> => (await statement.execute(on, values)).rows,
    first: async (on: Reader, values: V): Promise<Row | undefined> => (await statement.execute(on, values)).rows[0],
  }
}

/** Like `query`, for a statement that writes. `run` returns the number of rows it changed. */
export function change<V extends Values, Row>(
  build: (db: Kysely<Tables>, is: V, anyOf: AnyOf, now: Now) => Compilable<Row>,
) {
  const statement = new Statement<Kysely<Tables>, V, Row>(build)
  return {
    run: async (on: Kysely<Tables>, values: V): Promise<number> =>
      Number((await statement.execute(on, values)).numAffectedRows ?? 0),
    /** What `returning` gives. */
    all: async (on: Kysely<Tables>, values: V): Promise<Row[]> => (await statement.execute(on, values)).rows,
    first: async (on: Kysely<Tables>, values: V): Promise<Row | undefined> =>
      (await statement.execute(on, values)).rows[0],
  }
}

const insertions = new Map<string, Statement<Kysely<Tables>, Values, unknown>>()

/** More rows than this are so much work that compiling the statement for them is little. */
const COMPILED_ROWS = 20

/**
 * Inserts rows that have the same columns with one statement; a few rows with one that is compiled once per table, columns
 * and number of rows.
 * @param until columns that are set to a time so many milliseconds from the database's now
 */
export async function insertRows<T extends keyof Tables>(
  on: Kysely<Tables>,
  table: T,
  rows: readonly Insertable<Tables[T]>[],
  until: Readonly<Record<string, number>> = {},
): Promise<void> {
  if (rows.length === 0) return
  const times = Object.entries(until)
  if (rows.length > COMPILED_ROWS && times.length === 0) return void (await on.insertInto(table).values(rows).execute())
  const columns = Object.keys(rows[0]!).filter((name) => !(name in until))
  const key = `${table} ${rows.length} ${columns.join()} ${times.join()}`
  let statement = insertions.get(key)
  if (!statement) {
    statement = new Statement((db, is, _anyOf, now) => {
      const later = times.map(([name, ms]) => [name, sql<number>`${now} + ${sql.lit(ms)}`])
      const valuesOf = (at: number) => columns.map((name) => [name, is[`${name} ${at}`]])
      return db.insertInto(table).values(rows.map((_, at) => Object.fromEntries([...valuesOf(at), ...later])) as never)
    })
    insertions.set(key, statement)
  }
  const values: Record<string, Scalar> = {}
  for (const [at, row] of rows.entries())
    for (const name of columns) values[`${name} ${at}`] = (row as Record<string, Scalar>)[name]!
  await statement.execute(on, values)
}

/** Stands for a value while a statement is built. */
class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
  /** @throws always: a condition on a value would hold for every later value, too */
  [Symbol.toPrimitive](): never {
    throw new TypeError(`The statement depends on the value of ${this.name}.`)
  }
}

const PLACEHOLDERS = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) })

class Statement<On extends Executes, V extends Values, Row> {
  readonly #build: (db: On, is: V, anyOf: AnyOf, now: Now) => Compilable<Row>
  /** By dialect: tests run both databases in one process. */
  readonly #compiled: Partial<Record<Dialect['name'], CompiledQuery<Row>>> = {}

  constructor(build: (db: On, is: V, anyOf: AnyOf, now: Now) => Compilable<Row>) {
    this.#build = build
  }

  execute(on: On, values: V): Promise<QueryResult<Row>> {
    const executor = on.getExecutor()
    const dialect = executor.adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite'
    const compiled = (this.#compiled[dialect] ??= this.#build(
      on,
      PLACEHOLDERS as V,
      ANY_OF[dialect],
      DATABASE_TIME[dialect],
    ).compile())
    return executor.executeQuery({ ...compiled, parameters: compiled.parameters.map((value) => bound(value, values)) })
  }
}

const ANY_OF: Record<Dialect['name'], AnyOf> = {
  sqlite: (list) => sql<string>`(select value from json_each(${list}))`,
  postgres: (list) => sql<string>`(select json_array_elements_text(${list}::json))`,
}

/** @throws {TypeError} for a value that was not given; binding null instead would silently match nothing */
function bound(parameter: unknown, values: Values): unknown {
  if (!(parameter instanceof Placeholder)) return parameter
  const value = values[parameter.name]
  if (value === undefined) throw new TypeError(`The value of ${parameter.name} is missing.`)
  return Array.isArray(value) ? JSON.stringify(value) : value
}
