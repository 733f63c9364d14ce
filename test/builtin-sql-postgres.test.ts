import { existsSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sqlModule } from '../builtin/sql/module.ts'
import { openBuiltin, type BuiltinHost } from './stage/modules/builtin-host.ts'
import { createDatabase, databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const EFFECT = '/tmp/reeve-sql-effect'

describe.runIf(databases.some(({ name }) => name === 'postgres'))('PostgreSQL', () => {
  let admin: pg.Client
  let sql: BuiltinHost
  let url: URL
  let reader: string
  beforeAll(async () => {
    url = new URL(await createDatabase())
    admin = new pg.Client({ connectionString: url.href })
    await admin.connect()
    reader = `reader_${url.pathname.slice(6, 14)}`
    await admin.query(`create table customer (id int primary key, name text not null);
      create table orders (id bigint primary key, customer_id int references customer(id), total numeric(40,2), at timestamptz, day date, tags text[], raw bytea, ok boolean, doc jsonb);
      create index by_customer on orders (customer_id);
      create sequence counter; create sequence other; create view totals as select 1 as one;
      insert into customer values (1, 'Ann'), (2, 'Börje');
      insert into orders values (1, 1, 12.50, '2026-01-02 03:04:05.6+02', '2026-01-02', '{a,b}', '\\x00ff', true, '{"a": 1}'),
        (9007199254740993, 2, 99999999999999999999.01, null, null, null, null, false, null);
      create function adds() returns int language plpgsql as $$ begin insert into customer values (50, 'x'); return 1; end $$;
      create function sneaks() returns int language plpgsql as $$ begin perform set_config('transaction_read_only', 'off', false); insert into customer values (51, 'x'); return 1; end $$;
      create role ${reader} login password 'reader pass/1'; grant select on all tables in schema public to ${reader}`)
    const address = `postgres://${url.username}@${url.host}${url.pathname}`
    sql = await openBuiltin(sqlModule('/nowhere'), {
      connections: [`main=${address}`, `reader=postgres://${reader}@${url.host}${url.pathname}`],
      passwords: `main=${url.password}\nreader=reader pass/1`,
      read_only: false,
      statement_timeout_s: 3,
    })
  })
  afterAll(async () => {
    await sql[Symbol.asyncDispose]()
    await admin.query(`drop owned by ${reader}; drop role ${reader}`)
    await admin.end()
  })
  const count = async () => Number((await admin.query('select count(*) from customer')).rows[0].count)

  test('databases: version, account, and that a superuser reads with lower rights', async () => {
    const { tables } = await sql.done('databases')
    const [main, other] = tables[0]!.rows
    expect(main).toMatchObject({ name: 'main', reachable: true, about: expect.stringContaining('superuser') })
    expect(other).toMatchObject({ reachable: true, about: expect.stringContaining(`as ${reader}`) })
    expect(other!['about']).not.toContain('superuser')
  })
  test('typed columns, exact numbers, moments in UTC', async () => {
    const { tables } = await sql.done('query', { database: 'main', sql: 'select * from orders order by id -- all' })
    expect(tables[0]?.columns.map(({ key, type }) => [key, type])).toEqual([
      ['id', 'text'],
      ['customer_id', 'integer'],
      ['total', 'text'],
      ['at', 'datetime'],
      ['day', 'date'],
      ['tags', 'text'],
      ['raw', 'text'],
      ['ok', 'boolean'],
      ['doc', 'text'],
    ])
    expect(tables[0]?.rows).toMatchObject([
      {
        id: '1',
        total: '12.50',
        at: '2026-01-02T01:04:05.6Z',
        day: '2026-01-02',
        tags: '{a,b}',
        raw: '\\x00ff',
        ok: true,
        doc: '{"a": 1}',
      },
      { id: '9007199254740993', total: '99999999999999999999.01', at: null, ok: false },
    ])
  })
  test('parameters, also in a table of values and in explain', async () => {
    const { tables } = await sql.done('query', {
      database: 'reader',
      sql: 'select name from customer where id = $1 and name <> $2',
      parameters: [1, "'; --"],
    })
    expect(tables[0]?.rows).toEqual([{ name: 'Ann' }])
    const plan = await sql.done('explain', {
      database: 'main',
      sql: 'delete from orders where customer_id = $1',
      parameters: [1],
    })
    expect(plan.text).toMatch(/Delete on orders/)
    expect(await count()).toBe(2)
  })
  test('no more rows than asked for are fetched', async () => {
    const { tables, text } = await sql.done('query', {
      database: 'main',
      sql: 'select g from generate_series(1, 10000) g, generate_series(1, 100000) h',
      limit: 700,
    })
    expect(tables[0]?.rows).toHaveLength(700)
    expect(text).toContain('There are more')
    const large = await sql.done('query', {
      database: 'main',
      sql: "select repeat('x', 1000000) as x from generate_series(1, 1000)",
      limit: 1000,
    })
    expect(large.tables[0]!.rows.length).toBeLessThan(20)
    expect(large.text).toContain('too large')
  })
  test('the schema', async () => {
    const { tables } = await sql.done('schema', { database: 'main', filter: 'ORDERS' })
    expect(tables.map((table) => [table.title, table.rows.length])).toEqual([
      ['Tables', 1],
      ['Columns', 9],
      ['Indexes', 2],
      ['Foreign keys', 1],
    ])
    expect(tables[3]?.rows[0]?.['definition']).toBe('FOREIGN KEY (customer_id) REFERENCES customer(id)')
  })

  const WRITES: [string, string][] = [
    ['insert', "insert into customer values (9, 'x')"],
    ['a change in WITH', "with x as (insert into customer values (9, 'x') returning 1) select * from x"],
    ['WITH before a change', 'with x as (select 1) delete from customer'],
    ['select into', 'select * into stolen from customer'],
    ['create table as', 'create table stolen as select * from customer'],
    ['two statements', "select 1; insert into customer values (9, 'x')"],
    ['commit and a change', "commit; insert into customer values (9, 'x')"],
    ['a function that inserts', 'select adds()'],
    ['a function that turns read-only off', 'select sneaks()'],
    ['set_config', "select set_config('transaction_read_only', 'off', false), adds()"],
    ['set_config in quotes', `select "set_config"('transaction_read_only', 'off', false)`],
    ['set_config with its schema', "select pg_catalog . set_config /* */ ('role', 'none', false)"],
    ['set_config in Unicode', `select U&"set\\005fconfig"('role', 'none', false)`],
    [
      'set_config in text that becomes SQL',
      "select query_to_xml('select set_config(''role'', ''none'', true)', true, true, '')",
    ],
    ['nextval', "select nextval('counter')"],
    ['setval', "select setval('counter', 100)"],
    ['for update', 'select * from customer for update'],
    ['copy to a program', `copy customer to program 'touch ${EFFECT}'`],
    ['copy to a file', `copy (select 1) to '${EFFECT}'`],
    ['copy in a subquery', `select * from (copy customer to program 'touch ${EFFECT}') x`],
    ['lo_export', `select lo_export(1, '${EFFECT}')`],
    ['lo_from_bytea', "select lo_from_bytea(0, '\\x00')"],
    ['pg_read_file', "select pg_read_file('/etc/passwd')"],
    ['pg_ls_dir', "select pg_ls_dir('/')"],
    ['pg_terminate_backend', 'select pg_terminate_backend(pid) from pg_stat_activity'],
    ['pg_reload_conf', 'select pg_reload_conf()'],
    ['pg_logical_emit_message', "select pg_logical_emit_message(false, 'a', 'b')"],
    ['pg_notify', "select pg_notify('a', 'b')"],
    ['do', 'do $$ begin perform 1; end $$'],
    ['set', 'set role none'],
    ['explain analyze', 'explain analyze delete from customer'],
    ['prepare', 'prepare x as delete from customer'],
    ['call', 'call adds()'],
    ['the end of the cursor', "select 1) ; insert into customer values (9, 'x'); --"],
    ['a dollar quote that hides', 'select $a$ $b$ $a$; delete from customer; --$b$'],
    ['a number before a text', "select 1e'\\', set_config('role', 'none', true) --'"],
    ['nothing', '/* /* nested */ */'],
  ]
  test.each(WRITES)('query does not run %s', async (_what, statement) => {
    await sql.refused('query', { database: 'main', sql: statement })
    expect(await count()).toBe(2)
    expect(existsSync(EFFECT)).toBe(false)
    const { rows } = await admin.query(
      "select to_regclass('stolen') as stolen, (select is_called from counter) as called, (select count(*) from pg_largeobject_metadata) as objects",
    )
    expect(rows[0]).toEqual({ stolen: null, called: false, objects: '0' })
  })
  test('what is forbidden by name is forbidden by right as well, for a superuser too', async () => {
    await admin.query(`create function reads() returns text language sql as $$ select pg_read_file('/etc/hostname') $$;
      create function exports() returns int language sql as $$ select lo_export(1, '${EFFECT}') $$;
      create function ends() returns bool language sql as $$ select bool_or(pg_terminate_backend(pid)) from pg_stat_activity where usename = 'reeve' and pid <> pg_backend_pid() $$`)
    for (const name of ['reads', 'exports', 'ends'])
      expect(await sql.refused('query', { database: 'main', sql: `select ${name}()` })).toMatch(
        /permission denied|must be|Only roles/,
      )
  })
  test('explain runs nothing', async () => {
    for (const statement of [
      'analyze delete from customer',
      '(analyze) delete from customer',
      'select adds()',
      'copy customer to stdout',
    ])
      await sql.call('explain', { database: 'main', sql: statement })
    expect(await count()).toBe(2)
  })
  test('words in texts, names and comments are no commands', async () => {
    const statement = `select 'insert; delete' as "update; drop", $x$; set_config('a') $x$ /* ; copy */, E'it\\'s; fine' -- ; delete`
    const { tables } = await sql.done('query', { database: 'main', sql: statement })
    expect(tables[0]?.rows[0]).toMatchObject({ 'update; drop': 'insert; delete' })
  })

  test('execute changes in a transaction, returns rows, and is undone when it fails', async () => {
    const { text, tables } = await sql.done('execute', {
      database: 'main',
      sql: "insert into customer values ($1, $2), (4, 'Di') returning id",
      parameters: [3, 'Cy'],
    })
    expect(text).toContain('2 rows changed')
    expect(tables[0]?.rows).toEqual([{ id: 3 }, { id: 4 }])
    expect(
      await sql.refused('execute', { database: 'main', sql: "insert into customer values (5, 'E'), (1, 'twice')" }),
    ).toContain('duplicate key')
    expect(await sql.refused('execute', { database: 'reader', sql: 'delete from customer' })).toContain(
      'permission denied',
    )
    expect(await count()).toBe(4)
    await sql.done('execute', { database: 'main', sql: 'delete from customer where id > 2;' })
    expect(await count()).toBe(2)
  })
  test('a change may use a sequence', async () => {
    const { tables } = await sql.done('execute', {
      database: 'main',
      sql: "insert into customer values (900 + nextval('other'), 'x') returning id",
    })
    expect(tables[0]?.rows).toEqual([{ id: 901 }])
    await sql.done('execute', { database: 'main', sql: 'delete from customer where id > 2' })
  })
  test('an answer that would fill the memory is broken off', async () => {
    expect(
      await sql.refused('query', {
        database: 'main',
        sql: "select repeat('x', 10000000) from generate_series(1, 100)",
      }),
    ).toContain('larger than 64 MB')
  })
  test.each([
    'commit',
    'begin',
    'rollback',
    'copy customer to stdout',
    'do $$ begin end $$',
    'set role none',
    'vacuum',
    'delete from customer; select 1',
  ])('execute refuses %s', async (statement) => {
    await sql.refused('execute', { database: 'main', sql: statement })
    expect(await count()).toBe(2)
  })
  test.each([
    ['query', 'select pg_sleep(3600)'],
    ['query', 'select count(*) from generate_series(1, 10000000000) a'],
    ['execute', "insert into customer select 1000 + g, 'x' from generate_series(1, 10000000) g, pg_sleep(3600)"],
    ['execute', 'delete from customer using pg_sleep(3600)'],
  ])('%s is cancelled within 1 s, on the server too: %s', async (tool, statement) => {
    const abort = new AbortController()
    const result = sql.call(tool, { database: 'main', sql: statement }, abort.signal)
    const running = async () =>
      Number(
        (
          await admin.query(
            "select count(*) from pg_stat_activity where application_name = 'Reeve' and state = 'active'",
          )
        ).rows[0].count,
      )
    await until(async () => (await running()) > 0)
    const at = performance.now()
    abort.abort()
    expect(await result).toMatchObject({ status: 'cancelled' })
    expect(performance.now() - at).toBeLessThan(8000)
    await until(async () => (await running()) === 0)
    expect(await count()).toBe(2)
  })
  test('a statement that runs for ever is stopped at its time limit', async () => {
    expect(await sql.refused('query', { database: 'main', sql: 'select pg_sleep(3600)' })).toMatch(
      /timeout|more than 3 s/,
    )
  })
  test('a wrong password is a sentence without it, and no connection is left behind', async () => {
    await using wrong = await openBuiltin(sqlModule('/nowhere'), {
      connections: [`main=postgres://${url.username}@${url.host}${url.pathname}`],
      passwords: 'main=not-the-one',
    })
    const text = await wrong.refused('query', { sql: 'select 1' })
    expect(text).toContain('password authentication failed')
    expect(text).not.toContain('not-the-one')
    await until(
      async () =>
        (
          await admin.query(
            "select 1 from pg_stat_activity where application_name = 'Reeve' and datname = current_database()",
          )
        ).rowCount === 0,
    )
  })
})
