import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { sqlText } from './sql-text.ts'

export interface DuckOptions {
  readonly threads: number
  /** MiB that the engine may use before it spills; the process as a whole uses more. */
  readonly memory: number
  /** An own folder for what does not fit into memory. */
  readonly scratch: string
}

export interface Duck extends Disposable {
  readonly connection: DuckDBConnection
  run(sql: string): Promise<void>
  /** The rows, as text and NULL, numbers and bigints: as the engine gives them. */
  rows(sql: string, values?: (string | number | boolean | null)[]): Promise<unknown[][]>
  /**
   * From now on no file can be opened or written but `files` and what lies under `folders`, nothing is loaded, and no setting changes.
   * What is attached stays attached.
   */
  lock(files?: readonly string[], folders?: readonly string[]): Promise<void>
}

/** An engine of its own in memory, for one job. */
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
