import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { sqlText } from '../shape/sql-text.ts'

export interface DuckOptions {
  readonly threads: number
  /** MiB that the engine may use before it spills; the process as a whole uses more. */
  readonly memory: number
  /** A folder of its own for what doesn't fit into memory. */
  readonly scratch: string
}

export interface Duck extends Disposable {
  readonly connection: DuckDBConnection
  run(sql: string): Promise<void>
  /** The rows as the engine returns them: text and NULL, numbers and bigints. */
  rows(sql: string, values?: (string | number | boolean | null)[]): Promise<unknown[][]>
  /** Makes whatever is running fail. */
  interrupt(): void
  /**
   * From now on no file can be opened or written except `files` and whatever is below `folders`, nothing is loaded, and
   * no setting changes. What is attached stays attached.
   */
  lock(files?: readonly string[], folders?: readonly string[]): Promise<void>
}

/** A separate in-memory engine for one job. */
export async function openDuck(options: DuckOptions): Promise<Duck> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(options.threads),
    memory_limit: `${options.memory}MiB`,
    temp_directory: options.scratch,
    max_temp_directory_size: '4GiB',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const connection = await instance.connect()
  const run = async (sql: string): Promise<void> => {
    await connection.run(sql)
  }
  await run("SET TimeZone = 'UTC'")
  return {
    connection,
    run,
    async rows(sql, values) {
      const reader = await connection.runAndReadAll(sql, values)
      return reader.getRows()
    },
    interrupt: () => connection.interrupt(),
    async lock(files = [], folders = []) {
      await run(`SET allowed_paths = [${files.map(sqlText).join(', ')}]`)
      await run(`SET allowed_directories = [${folders.map(sqlText).join(', ')}]`)
      await run('SET enable_external_access = false')
      await run('SET lock_configuration = true')
    },
    [Symbol.dispose]() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}
