import pg from 'pg'
import { expect, test } from 'vitest'
import { createDatabase, databases } from './stage/servers/postgres.ts'

test.runIf(databases.some(({ name }) => name === 'postgres'))(
  'every database is fresh, and sorts as a language does',
  async () => {
    const urls = await Promise.all([createDatabase(), createDatabase()])
    expect(new Set(urls).size).toBe(2)
    for (const connectionString of urls) {
      const client = new pg.Client({ connectionString })
      await client.connect()
      await client.query('create table t (name text)')
      await client.query(`insert into t values ('Б'), ('a'), ('B'), ('б')`)
      const { rows } = await client.query<{ name: string }>('select name from t order by name')
      await client.end()
      expect(rows.map((row) => row.name)).toEqual(['a', 'B', 'б', 'Б'])
    }
  },
)
