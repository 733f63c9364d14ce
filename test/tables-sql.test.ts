import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROGRAMS } from '../server/tables/jobs/table-cache.ts'
import { refusing } from '../server/tables/table-refusal.ts'
import { openTablesStage, refusal, source, type TablesStage } from './stage/documents/tables-stage.ts'
import { until } from './stage/wait.ts'

let stage: TablesStage
const people = source('people.csv', 'id,name,born\n1,Anna,1990-05-01\n2,Борис,1985-01-31\n3,"O""Hara",\n')
const ENDLESS = 'SELECT count(*) FROM range(10000000000) a, range(1000000) b WHERE a.range % 7 = b.range % 11'
beforeAll(async () => {
  stage = await openTablesStage({ query_ms: 20_000 })
})
afterAll(() => stage[Symbol.asyncDispose]())

const ask = (sql: string, params: string[] = []) => stage.ask(sql, { people }, params)

test.each<[string, unknown[][]]>([
  ['SELECT name, born FROM people WHERE id = 2', [['Борис', '1985-01-31']]],
  ['FROM people SELECT count(*)', [[3]]],
  ["WITH old AS (SELECT * FROM people WHERE born < DATE '1990-01-01') SELECT name FROM old", [['Борис']]],
  ['SELECT x FROM (VALUES (1), (2)) v(x) WHERE x > 1', [[2]]],
  ['SELECT range FROM range(2)', [[0], [1]]],
  ['SELECT sum(id) OVER (ORDER BY id) FROM people', [[1], [3], [6]]],
  ['SELECT 9007199254740993, 0.1 + 0.2, [1, 2], NULL, true', [['9007199254740993', 0.3, '[1, 2]', null, true]]],
  ["SELECT 'attach; copy; read_csv(''x'')' AS text -- ; drop table people", [["attach; copy; read_csv('x')"]]],
  ['SELECT id FROM people UNION ALL SELECT 7 ORDER BY 1 DESC LIMIT 1;', [[7]]],
])('%s', async (sql, rows) => {
  expect(await ask(sql)).toEqual(rows)
})

test.each<[string, unknown[][]]>([
  ['WITH a AS (SELECT 1 x), b AS (SELECT x + 1 AS x FROM a) SELECT * FROM a, b', [[1, 2]]],
  ['SELECT (WITH c AS (SELECT max(id) m FROM people) SELECT m FROM c)', [[3]]],
  [
    'WITH a AS (SELECT 1 x) SELECT * FROM (SELECT * FROM (SELECT x FROM a)) WHERE x IN (SELECT x FROM a) ORDER BY (SELECT x FROM a)',
    [[1]],
  ],
  ['WITH RECURSIVE n AS (SELECT 1 i UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n', [[1], [2], [3]]],
  ['WITH a AS (SELECT 1 x) SELECT x FROM a UNION ALL SELECT x + 1 FROM a ORDER BY 1', [[1], [2]]],
  ['WITH People AS (SELECT 7 id) SELECT id FROM PEOPLE', [[7]]],
  ['WITH a AS MATERIALIZED (SELECT 5 x) SELECT x FROM a', [[5]]],
])('a part holds where it is declared: %s', async (sql, rows) => {
  expect(await ask(sql)).toEqual(rows)
})

test.each([
  'SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a) q, a',
  'WITH b AS (WITH a AS (SELECT 1) SELECT * FROM a) SELECT * FROM a',
  'WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a',
  `SELECT * FROM (WITH "/etc/passwd" AS (SELECT 1) SELECT 1) q, '/etc/passwd'`,
  'SELECT (WITH a AS (SELECT 1 x) SELECT x FROM a), x FROM a',
  'WITH a AS (SELECT 1) SELECT 1 UNION ALL SELECT * FROM (WITH b AS (SELECT 2) SELECT * FROM b) UNION ALL SELECT * FROM b',
])('and nowhere else: %s', async (sql) => {
  expect(await refusal(ask(sql), 'bad_query')).toMatch(/^There is no table "/)
})

test('values are given apart from the SQL, and stay values', async () => {
  expect(await ask('SELECT id FROM people WHERE name = ?', ['O"Hara'])).toEqual([[3]])
  expect(await ask('SELECT count(*) FROM people WHERE name = $1', ["' OR 1=1 --"])).toEqual([[0]])
  expect(await refusal(ask('SELECT ?'), 'bad_query')).toContain('1 parameters, and 0 values')
})

test.each([
  "SELECT * FROM read_csv('/etc/passwd')",
  "SELECT * FROM read_text('/etc/passwd')",
  "SELECT * FROM read_blob('/etc/*')",
  "SELECT * FROM read_json('/etc/passwd')",
  "SELECT * FROM parquet_metadata('/etc/passwd')",
  "SELECT * FROM '/etc/passwd'",
  'SELECT * FROM "/etc/passwd"',
  "SELECT * FROM glob('/*')",
  "SELECT * FROM people WHERE id IN (SELECT 1 FROM sniff_csv('/etc/passwd'))",
  "SELECT (SELECT content FROM read_text('/etc/passwd'))",
  "SELECT * FROM query('SELECT 1')",
  "SELECT * FROM query_table('people')",
  "SELECT * FROM json_execute_serialized_sql('{}')",
  "ATTACH '/etc/passwd' AS other",
  "ATTACH ':memory:' AS other",
  "COPY people TO '/tmp/stolen.csv'",
  "COPY (SELECT 1) TO '/tmp/stolen.csv'",
  "EXPORT DATABASE '/tmp/stolen'",
  "IMPORT DATABASE '/tmp/stolen'",
  'INSTALL httpfs',
  'LOAD httpfs',
  "LOAD '/tmp/evil.duckdb_extension'",
  'SET enable_external_access = true',
  'RESET enable_external_access',
  'SET threads = 64',
  "SET memory_limit = '100GB'",
  "PRAGMA memory_limit = '100GB'",
  'PRAGMA database_list',
  'CALL pragma_version()',
  'CREATE TABLE other AS SELECT 1',
  'CREATE MACRO f() AS 1',
  'CREATE SECRET s (TYPE s3)',
  'DROP VIEW people',
  "INSERT INTO people VALUES (4, 'x', NULL)",
  'UPDATE people SET id = 1',
  'DELETE FROM people',
  'WITH x AS (INSERT INTO people VALUES (1) RETURNING id) SELECT * FROM x',
  'SELECT 1; SELECT 2',
  "SELECT 1; ATTACH '/tmp/x' AS y",
  'SELECT * FROM source_0.t0',
  'SELECT * FROM source_0.main.t0',
  'SELECT * FROM memory.main.people',
  'SELECT * FROM duckdb_databases()',
  'SELECT * FROM duckdb_settings()',
  'SELECT * FROM duckdb_settings',
  'SELECT * FROM duckdb_views',
  'WITH duckdb_views AS (SELECT 1) SELECT * FROM duckdb_views',
  'SELECT * FROM information_schema.tables',
  'SELECT * FROM pg_catalog.pg_tables',
  'SELECT * FROM sqlite_master',
  "SELECT current_setting('temp_directory')",
  "SELECT getenv('HOME')",
  'DESCRIBE people',
  'SHOW ALL TABLES',
  'EXPLAIN SELECT 1',
  'PREPARE p AS SELECT 1',
  'BEGIN',
  'VACUUM',
  'CHECKPOINT',
  '',
  ';',
  '\0',
  'SELECT',
  'SELECT * FROM nobody',
  'SELECT nothing FROM people',
])('refused: %s', async (sql) => {
  expect(await refusal(ask(sql), 'bad_query')).toMatch(/\.$/)
})

test('a refused query says what is possible instead', async () => {
  expect(await refusal(ask('SELECT * FROM nobody'), 'bad_query')).toBe(
    'There is no table "nobody" here. There are: "people".',
  )
  expect(await refusal(ask("SELECT * FROM read_csv('x')"), 'bad_query')).toContain('only the named tables can be read')
  expect(await refusal(ask('SELECT nam FROM people'), 'bad_query')).toContain('nam')
})

test('a cancelled query ends long before its limit, and the next one works', async () => {
  const stop = new AbortController()
  const before = performance.now()
  const asked = stage.tables.query([{ name: 'people', source: people }], ENDLESS, [], 10, stop.signal)
  await until(() => stage.tables.processes().length > 0)
  stop.abort()
  await refusal(asked, 'cancelled')
  expect(performance.now() - before).toBeLessThan(8000)
  expect(await ask('SELECT 1')).toEqual([[1]])
})

test('a query that waits for its turn is cancelled as well', async () => {
  const stop = new AbortController()
  const asked = Array.from({ length: 5 }, () =>
    stage.tables.query([{ name: 'people', source: people }], ENDLESS, [], 10, stop.signal),
  )
  stop.abort()
  await Promise.all(asked.map((each) => refusal(each, 'cancelled')))
  expect(await ask('SELECT 1')).toEqual([[1]])
})

test('a worker that is killed costs its own query only', async () => {
  const known = new Set(stage.tables.processes())
  for (const pid of known) process.kill(pid, 'SIGKILL')
  await until(() => stage.tables.processes().length === 0)
  const asked = stage.tables.query([{ name: 'people', source: people }], ENDLESS, [], 10)
  await until(() => stage.tables.processes().length === 1)
  process.kill(stage.tables.processes()[0]!, 'SIGKILL')
  // The second where it was still coming up.
  expect(await refusal(asked, 'failed')).toMatch(/ended in the middle of its work|could not be reached/)
  expect(await ask('SELECT 1')).toEqual([[1]])
})

test('too much memory and too much time end in a sentence', { timeout: 120_000 }, async () => {
  await using small = await openTablesStage({ memory: 400 })
  await using short = await openTablesStage({ query_ms: 3000 })
  const run = (where: TablesStage, sql: string) => where.tables.query([{ name: 'people', source: people }], sql, [], 10)
  await refusal(run(small, "SELECT repeat('x', 600000000)"), 'too_large')
  await refusal(run(small, 'SELECT list(range) FROM range(200000000)'), 'too_large')
  expect((await run(small, 'SELECT 1')).total_rows).toBe(1)
  expect(await refusal(run(short, ENDLESS), 'timeout')).toContain('within 3 s')
  const slow = refusing(() => run(short, ENDLESS))
  await Promise.all([
    expect(slow).rejects.toMatchObject({ code: 'table_timeout', retryAfter: 10 }),
    expect(slow).rejects.toThrow(/^It did not end within 3 s\. Narrow the table down with a filter/),
  ])
  expect((await run(short, 'SELECT 1')).total_rows).toBe(1)
})

test('more rows than wanted are counted, not given', async () => {
  const found = await stage.tables.query([{ name: 'people', source: people }], 'SELECT * FROM range(100000)', [], 10)
  expect(found.rows).toHaveLength(10)
  expect(found.total_rows).toBe(100_000)
})

test('workers end when there is nothing to do, and start again', async () => {
  await using brief = await openTablesStage({ idle_ms: 50 })
  expect(brief.tables.processes()).toEqual([])
  await brief.read(people)
  await until(() => brief.tables.processes().length === 0)
  expect((await brief.read(people)).total_rows).toBe(3)
})

test('no worker outlives a service that is killed', async () => {
  const script = `
    const { openTables } = await import(process.argv[1])
    const tables = openTables({ folder: process.argv[2] })
    const source = { key: 'k', name: 't.csv', size: 4, path: null, async *read() { yield Buffer.from('a,b\\n1,2\\n') } }
    tables.query([{ name: 't', source }], process.argv[3], [], 1).catch(() => undefined)
    await tables.describe(source)
    setInterval(() => { if (tables.processes().length === 2) console.log(JSON.stringify(tables.processes())) }, 20)`
  const engine = new URL('../server/tables/tables.ts', import.meta.url).href
  const folder = join(stage.folder, 'other-service')
  const service = spawn(process.execPath, ['--input-type=module', '-e', script, engine, folder, ENDLESS], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [line] = (await once(createInterface({ input: service.stdout }), 'line')) as [string]
  const pids = JSON.parse(line) as number[]
  expect(pids.every(isAlive)).toBe(true)
  service.kill('SIGKILL')
  await until(() => !pids.some(isAlive))
})

test('a cached form that is damaged or gone is made again', async () => {
  await using fresh = await openTablesStage()
  await fresh.read(people)
  const [name] = await formsIn(fresh.folder)
  await writeFile(join(fresh.folder, name!, 'data.duckdb'), 'this is no database')
  expect((await fresh.read(people)).total_rows).toBe(3)
  await fresh.tables.forget(people.key)
  expect(await formsIn(fresh.folder)).toEqual([])
  expect(await fresh.ask('SELECT count(*) FROM people', { people })).toEqual([[3]])
})

test('cached forms are kept within their size, the last used ones longest', async () => {
  await using small = await openTablesStage({ cache_size: 1_000_000 })
  const files = Array.from({ length: 5 }, (_, i) => source(`${i}.csv`, `a,b\n${i},x\n`))
  for (const file of files) await small.read(file)
  const kept = await formsIn(small.folder)
  expect(kept.length).toBeLessThan(5)
  for (const file of files) expect((await small.read(file)).total_rows).toBe(1)
})

/** Cached forms: what workers keep of their programs is there as well. */
async function formsIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => !name.startsWith('work-') && name !== PROGRAMS)
}

/** A process that ended and was not yet waited for by anybody is not alive. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
