import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { expect } from 'vitest'
import type { TestDatabase } from '../servers/postgres.ts'

const FOLDER = join(import.meta.dirname, '../../old-databases')

/** The key with which the old programs ran. */
const OLD_KEY = `${'5ec4e7'.repeat(10)}abcd`
export const OLD_PASSWORD = 'correct horse battery 7'
/** What was in the two files of each, by their names. */
const STORED: Record<string, string> = { 'Ünï.csv': 'name;town\nÉmile;Łódź\n', 'two.txt': 'other bytes' }

/** Names of the databases of test/old-databases, the oldest first. */
export const OLD_DATABASES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.sqlite.sql.gz'))
  .map((name) => name.replace('.sqlite.sql.gz', ''))
  .sort()

/** Puts the old database into `folder`, or into the PostgreSQL of these tests, with stored files and key; returns the settings. */
export async function placeOldDatabase(
  name: string,
  database: TestDatabase,
  folder: string,
): Promise<Record<string, string>> {
  const text = gunzipSync(readFileSync(join(FOLDER, `${name}.${database.name}.sql.gz`))).toString('utf8')
  const url = await database.url()
  const files = url === '' ? fillSqlite(join(folder, 'reeve.db'), text) : await fillPostgres(url, text)
  expect(files).toHaveLength(2)
  for (const { file_id, name: file } of files) {
    const path = join(folder, 'files', file_id.slice(-2), file_id)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, STORED[file]!)
  }
  writeFileSync(join(folder, 'secret.key'), `${OLD_KEY}\n`, { mode: 0o600 })
  return { REEVE_DATA_DIR: folder, REEVE_DATABASE_URL: url }
}

interface StoredFile {
  file_id: string
  name: string
}

function fillSqlite(file: string, text: string): StoredFile[] {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  try {
    // What the search index keeps for itself is written as it was.
    db.enableDefensive(false)
    db.exec(`begin; ${text}; commit`)
    return db.prepare('select file_id, name from file').all() as unknown as StoredFile[]
  } finally {
    db.close()
  }
}

async function fillPostgres(url: string, text: string): Promise<StoredFile[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
    return (await client.query<StoredFile>('select file_id, name from file')).rows
  } finally {
    await client.end()
  }
}
