import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sqlModule } from '../builtin/sql/module.ts'
import { openBuiltin, type BuiltinHost } from './stage/modules/builtin-host.ts'
import { until } from './stage/wait.ts'

let folder: string
let file: string
let sql: BuiltinHost
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reeve-sql-'))
  await mkdir(join(folder, 'data'))
  file = join(folder, 'shop.db')
  for (const path of [file, join(folder, 'data', 'reeve.db')]) {
    using db = new DatabaseSync(path)
    db.exec(`create table customer (id integer primary key, name text not null);
      create table "order" (id integer primary key, customer_id integer references customer(id) on delete cascade, total real, big integer, code text);
      create index by_customer on "order" (customer_id);
      create view totals as select customer_id, sum(total) as total from "order" group by 1;
      insert into customer values (1, 'Ann'), (2, 'Börje');
      insert into "order" values (1, 1, 9.5, 9007199254740993, '007'), (2, 1, 1, 2, '1e3'), (3, 2, 4, 3, null)`)
  }
  await symlink(join(folder, 'data', 'reeve.db'), join(folder, 'link.db'))
  await writeFile(join(folder, 'text.db'), 'this is no database, whatever its name says')
  sql = await open(false)
})
afterAll(async () => {
  await sql[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

function open(read_only: boolean, more: string[] = []): Promise<BuiltinHost> {
  const connections = [
    `shop=sqlite:${file}`,
    `own=sqlite:${folder}/data/reeve.db`,
    `linked=sqlite:${folder}/link.db`,
    `gone=sqlite:${folder}/gone.db`,
    `text=sqlite:${folder}/text.db`,
    `relative=sqlite:shop.db`,
    ...more,
  ]
  return openBuiltin(sqlModule(join(folder, 'data')), { connections, read_only, statement_timeout_s: 5 })
}

/** Whether a child of this process has worked for 0.2 s. */
function busyChild(): boolean {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ')
  return children.some((pid) => {
    if (!existsSync(`/proc/${pid}/stat`)) return false
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return Number(fields[11]) >= 20
  })
}

const count = () => {
  using db = new DatabaseSync(file, { readOnly: true })
  return db.prepare('select count(*) as n from customer').get()?.['n']
}

describe('SQLite', () => {
  test('a query gives typed columns; no digit of a big number is lost, and a leading zero stays', async () => {
    const { tables, text } = await sql.done('query', {
      database: 'shop',
      sql: 'select id, total, big, code from "order" order by id;',
    })
    expect(tables[0]?.columns.map(({ key, type }) => [key, type])).toEqual([
      ['id', 'integer'],
      ['total', 'number'],
      ['big', 'text'],
      ['code', 'text'],
    ])
    expect(tables[0]?.rows[0]).toEqual({ id: 1, total: 9.5, big: '9007199254740993', code: '007' })
    expect(text).toContain('3 rows')
  })
  test('parameters are values, never SQL', async () => {
    const { tables } = await sql.done('query', {
      database: 'shop',
      sql: 'select ? as a, ? as b, ? as c, ? as d',
      parameters: ["'; drop table customer; --", 1.5, true, null],
    })
    expect(tables[0]?.rows).toEqual([{ a: "'; drop table customer; --", b: 1.5, c: 1, d: null }])
  })
  test('no more rows than asked for, and it says so', async () => {
    const endless = 'with recursive n(i) as (select 1 union all select i + 1 from n) select i, i as i from n'
    const { tables, text } = await sql.done('query', { database: 'shop', sql: endless, limit: 3 })
    expect(tables[0]?.rows).toEqual([1, 2, 3].map((i) => ({ i, i_2: i })))
    expect(text).toContain('There are more')
  })
  test('the schema: tables, columns, indexes, foreign keys', async () => {
    const { tables } = await sql.done('schema', { database: 'shop', filter: 'ORD' })
    expect(tables.map((table) => [table.title, table.rows.length])).toEqual([
      ['Tables', 1],
      ['Columns', 5],
      ['Indexes', 1],
      ['Foreign keys', 1],
    ])
    expect(tables[3]?.rows[0]).toMatchObject({
      table: 'order',
      column: 'customer_id',
      refers_to: 'customer',
      on_delete: 'CASCADE',
    })
  })
  test('explain shows the plan and runs nothing', async () => {
    const { text } = await sql.done('explain', { database: 'shop', sql: 'delete from "order" where customer_id = 1' })
    expect(text).toContain('not run')
    expect(count()).toBe(2)
    const { tables } = await sql.done('explain', {
      database: 'shop',
      sql: 'select * from "order" where customer_id = ?',
      parameters: [1],
    })
    expect(JSON.stringify(tables)).toContain('USING INDEX by_customer')
  })
  test.each([
    ['a change', "insert into customer values (9, 'x')"],
    ['a change behind WITH', "with x as (select 1) insert into customer select 9, 'x' from x"],
    ['a change with RETURNING', 'delete from customer returning id'],
    ['two statements', 'select 1; delete from customer'],
    ['two statements, the second in another line', 'select 1;\n--\ndelete from customer'],
    ['attach', "attach '/tmp/x.db' as x"],
    ['vacuum into', "vacuum into '/tmp/reeve-vacuum.db'"],
    ['pragma', 'pragma query_only = off'],
    ['pragma as a function', "select * from pragma_query_only('off')"],
    ['pragma journal mode', "select * from pragma_journal_mode('delete')"],
    ['load_extension', "select load_extension('/tmp/x.so')"],
    ['load_extension in quotes', `select "load_extension"('/tmp/x.so')`],
    ['load_extension behind a comment', "select load_extension/**/('/tmp/x.so')"],
    ['fts3_tokenizer', "select fts3_tokenizer('simple', x'00')"],
    ['nothing', ' -- only a comment'],
    ['an open comment', 'select 1 /* never ends'],
  ])('query does not run %s', async (_what, statement) => {
    await sql.refused('query', { database: 'shop', sql: statement })
    expect(count()).toBe(2)
    expect(existsSync('/tmp/reeve-vacuum.db')).toBe(false)
  })
  test('execute changes in a transaction and says how many rows', async () => {
    const { text } = await sql.done('execute', {
      database: 'shop',
      sql: 'insert into customer values (?, ?), (8, ?)',
      parameters: [7, 'Cy', 'Di'],
    })
    expect(text).toContain('2 rows changed')
    const { tables } = await sql.done('execute', {
      database: 'shop',
      sql: 'delete from customer where id > 6 returning name',
    })
    expect(tables[0]?.rows).toEqual([{ name: 'Cy' }, { name: 'Di' }])
    expect(await sql.refused('execute', { database: 'shop', sql: 'insert into customer values (10, null)' })).toContain(
      'NOT NULL',
    )
    expect(count()).toBe(2)
  })
  test.each([
    "attach '/tmp/x.db' as x",
    'begin',
    'commit',
    'vacuum',
    'pragma user_version = 3',
    'delete from customer; select 1',
  ])('execute refuses %s', async (statement) => {
    await sql.refused('execute', { database: 'shop', sql: statement })
    expect(count()).toBe(2)
  })
  test('while it is read only there is no tool that changes anything', async () => {
    await using reading = await open(true)
    expect(reading.tools()).toEqual(['databases', 'explain', 'query', 'schema'])
  })
  test.each(['own', 'linked'])('a file in the data folder of Reeve is refused (%s)', async (database) => {
    expect(await sql.refused('query', { database, sql: 'select 1' })).toContain('own data folder')
  })
  test.each([
    ['gone', 'cannot be found'],
    ['text', 'not a database'],
    ['relative', 'absolute path'],
  ])('a file that is not usable: %s', async (database, sentence) => {
    const text = await sql.refused('query', { database, sql: 'select name from sqlite_schema' })
    expect(text).toContain(sentence)
    expect(text).not.toContain(folder)
  })
  const ENDLESS = 'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n'
  test('a statement that runs for ever is stopped at its time limit', async () => {
    expect(await sql.refused('query', { database: 'shop', sql: ENDLESS })).toContain('more than 5 s')
  })
  test('a statement that runs for ever is cancelled at once, and so is a change, which is undone', async () => {
    for (const [tool, statement] of [
      ['query', ENDLESS],
      ['execute', `insert into customer ${ENDLESS.replace('select count(*)', "select i + 100, 'x'")}`],
    ] as const) {
      const abort = new AbortController()
      const result = sql.call(tool, { database: 'shop', sql: statement }, abort.signal)
      await until(busyChild)
      const at = performance.now()
      abort.abort()
      expect(await result).toMatchObject({ status: 'cancelled' })
      expect(performance.now() - at).toBeLessThan(8000)
      // The next statement waits until the change is undone.
      const { tables } = await sql.done('query', { database: 'shop', sql: 'select count(*) as n from customer' })
      expect(tables[0]?.rows).toEqual([{ n: 2 }])
    }
  })
  test('when Reeve is killed, the process of a statement ends too', async () => {
    const ask = new URL('../builtin/sql/sqlite/ask-process.ts', import.meta.url).href
    const question = {
      file,
      mode: 'read',
      timeout_ms: 60_000,
      statements: [{ sql: ENDLESS, parameters: [] }],
      limit: 1,
      size: 1,
    }
    const script = `(await import('${ask}')).askProcess(${JSON.stringify(question)}, new AbortController().signal)`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' })
    const children = () =>
      existsSync(`/proc/${parent.pid}/stat`)
        ? readFileSync(`/proc/${parent.pid}/task/${parent.pid}/children`, 'utf8').trim()
        : ''
    const child = await until(() => children())
    parent.kill('SIGKILL')
    const gone = () => !existsSync(`/proc/${child}`) || readFileSync(`/proc/${child}/stat`, 'utf8').includes(') Z ')
    expect(await until(gone)).toBe(true)
  })
  test('a statement that wants all memory costs its own process only', async () => {
    const value = 'select length(hex(zeroblob(60000000)))'
    expect(await sql.refused('query', { database: 'shop', sql: value })).toContain('too big')
    const rows = 'with recursive n(i) as (select 1 union all select i + 1 from n limit 40)'
    const hog = `${rows}, m as materialized (select hex(zeroblob(20000000 + i)) as x from n) select count(distinct x) from m`
    expect(await sql.refused('query', { database: 'shop', sql: hog })).toMatch(/too much memory|more than 5 s/)
    await sql.done('query', { database: 'shop', sql: 'select 1' })
  })
})

describe('the list of databases', () => {
  test('says which answer, and why the others do not', async () => {
    const { tables, text } = await sql.done('databases')
    expect(tables[0]?.rows.map((row) => [row['name'], row['reachable']])).toEqual([
      ['shop', true],
      ['own', false],
      ['linked', false],
      ['gone', false],
      ['text', false],
      ['relative', false],
    ])
    expect(text).toContain('1 answer')
  })
  test.each([
    ['postgres://ann:geheim@127.0.0.1/x', 'password in its address'],
    ['postgres://ann@127.0.0.1/x?password=geheim', 'password in its address'],
    ['postgres://127.0.0.1/x', 'names no user'],
    ['postgres://ann@127.0.0.1', 'names no database'],
    ['postgres://ann@127.0.0.1/x?sslmode=sometimes', 'sslmode=sometimes'],
    ['postgres://ann@127.0.0.1/x?options=-c', 'unknown option options'],
    ['mongodb://ann@127.0.0.1/x', 'no known kind'],
    ['postgres://ann@127.0.0.1:1/x', 'ECONNREFUSED'],
    ['mysql://ann@127.0.0.1:1/x', 'ECONNREFUSED'],
  ])('an address that is wrong: %s', async (address, sentence) => {
    await using host = await openBuiltin(sqlModule(folder), { connections: [`x=${address}`], passwords: 'x=geheim' })
    const text = await host.refused('query', { sql: 'select 1' })
    expect(text).toContain(sentence)
    expect(text).not.toContain('geheim')
  })
  test.each(['postgres', 'mysql'])('a %s server that accepts and never answers', async (kind) => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    await using host = await openBuiltin(sqlModule(folder), {
      connections: [`x=${kind}://ann@127.0.0.1:${port}/x`],
      statement_timeout_s: 1,
    })
    expect(await host.refused('query', { sql: 'select 1' })).toContain('more than 1 s')
    const abort = new AbortController()
    const connected = once(silent, 'connection')
    const result = host.call('query', { sql: 'select 1' }, abort.signal)
    await connected
    abort.abort()
    expect(await result).toMatchObject({ status: 'cancelled' })
    silent.close()
  })
  test('no database, an unknown one, and which one', async () => {
    await using none = await openBuiltin(sqlModule(folder))
    expect(await none.refused('query', { sql: 'select 1' })).toContain('No database is set up')
    expect(await sql.refused('query', { sql: 'select 1' })).toContain('Say which database: shop, own')
    expect(await sql.refused('query', { database: 'x', sql: 'select 1' })).toContain('There is no database "x"')
  })
})
