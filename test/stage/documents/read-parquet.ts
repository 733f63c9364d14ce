import { DuckDBInstance } from '@duckdb/node-api'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface ReadParquet {
  readonly types: Record<string, string>
  readonly rows: unknown[][]
  readonly provenance: Record<string, unknown>
}
/** As the engine that others use reads it. */
export async function readParquet(bytes: Uint8Array): Promise<ReadParquet> {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-parquet-'))
  const path = join(folder, 'table.parquet')
  await writeFile(path, bytes)
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson() as unknown[][]
    const described = await rows(`DESCRIBE SELECT * FROM '${path}'`)
    const [[about]] = (await rows(
      `SELECT decode(value) FROM parquet_kv_metadata('${path}') WHERE decode(key) = 'provenance'`,
    )) as [[string]]
    return {
      types: Object.fromEntries(described.map(([name, type]) => [String(name), String(type)])),
      rows: await rows(`SELECT * FROM '${path}'`),
      provenance: JSON.parse(about) as Record<string, unknown>,
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
    await rm(folder, { recursive: true, force: true })
  }
}
