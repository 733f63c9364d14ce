import { existsSync } from 'node:fs'
import mysql from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sqlModule } from '../builtin/sql/module.ts'
import { openBuiltin, type BuiltinHost } from './stage/modules/builtin-host.ts'
import { mariadbMissing, startMariadb, type MariadbServer } from './stage/servers/mariadb-server.ts'
import { until } from './stage/wait.ts'

describe.skipIf(mariadbMissing !== null)(
  `MariaDB${mariadbMissing === null ? '' : ` (skipped: ${mariadbMissing})`}`,
  () => {
    let server: MariadbServer
    let admin: mysql.Connection
    let sql: BuiltinHost
    beforeAll(async () => {
      server = await startMariadb()
      admin = await mysql.createConnection({ socketPath: server.socket, user: 'root', multipleStatements: true })
      await admin.query(`create database shop; use shop;
      create table customer (id int primary key, name varchar(80) not null) engine=innodb;
      create table plain (id int) engine=myisam;
      create table orders (id bigint unsigned primary key, customer_id int, total decimal(40,2), ratio double, at datetime, day date, raw varbinary(10), note text, doc json,
        constraint buyer foreign key (customer_id) references customer(id));
      create sequence counter;
      insert into customer values (1, 'Ann'), (2, 'Börje');
      insert into orders values (1, 1, 12.50, 0.5, '2026-01-02 03:04:05', '2026-01-02', x'00ff', 'é', '{"a": 1}'), (18446744073709551615, 2, 99999999999999999999.01, null, null, null, null, null, null);
      create function adds() returns int modifies sql data begin insert into customer values (50, 'x'); return 1; end;
      create function adds_plain() returns int modifies sql data begin insert into plain values (50); return 1; end;
      create user 'all'@'%' identified by 'pass= word'; grant all on *.* to 'all'@'%'`)
      sql = await openBuiltin(sqlModule('/nowhere'), {
        connections: [
          `main=mysql://all@127.0.0.1:${server.port}/shop`,
          `local=mariadb://root@localhost/shop?socket=${server.socket}`,
        ],
        passwords: 'main=pass= word',
        read_only: false,
        statement_timeout_s: 3,
      })
    })
    afterAll(async () => {
      await sql[Symbol.asyncDispose]()
      await admin.end()
      await server[Symbol.asyncDispose]()
    })
    const first = async (statement: string) => ((await admin.query(statement))[0] as Record<string, unknown>[])[0]
    const counts = () =>
      first('select (select count(*) from customer) as customers, (select count(*) from plain) as plains')

    test('databases: by port and by socket', async () => {
      const { tables } = await sql.done('databases')
      for (const row of tables[0]!.rows)
        expect(row).toMatchObject({ reachable: true, about: expect.stringMatching(/^MariaDB 1\d/) })
    })
    test('typed columns, exact numbers, bytes', async () => {
      const { tables } = await sql.done('query', { database: 'main', sql: 'select * from orders order by id # all' })
      expect(tables[0]?.columns.map(({ key, type }) => [key, type])).toEqual([
        ['id', 'text'],
        ['customer_id', 'integer'],
        ['total', 'text'],
        ['ratio', 'number'],
        ['at', 'text'],
        ['day', 'date'],
        ['raw', 'text'],
        ['note', 'text'],
        ['doc', 'text'],
      ])
      expect(tables[0]?.rows).toMatchObject([
        {
          id: '1',
          total: '12.50',
          ratio: 0.5,
          at: '2026-01-02 03:04:05',
          day: '2026-01-02',
          raw: '0x00ff',
          note: 'é',
          doc: '{"a": 1}',
        },
        { id: '18446744073709551615', total: '99999999999999999999.01', ratio: null },
      ])
    })
    test('parameters, explain, show, schema', async () => {
      const { tables } = await sql.done('query', {
        database: 'main',
        sql: 'select name from customer where id = ? and name <> ?',
        parameters: [1, "'; --"],
      })
      expect(tables[0]?.rows).toEqual([{ name: 'Ann' }])
      expect(
        (
          await sql.done('explain', {
            database: 'main',
            sql: 'select * from orders where customer_id = ?',
            parameters: [1],
          })
        ).tables[0]?.rows,
      ).toHaveLength(1)
      expect(await sql.refused('explain', { database: 'main', sql: 'delete from orders' })).toContain(
        'Explain a SELECT',
      )
      expect(
        (await sql.done('query', { database: 'main', sql: 'show tables' })).tables[0]?.rows.length,
      ).toBeGreaterThan(2)
      const schema = await sql.done('schema', { database: 'local', filter: 'ORDERS' })
      expect(schema.tables.map((table) => [table.title, table.rows.length])).toEqual([
        ['Tables', 1],
        ['Columns', 9],
        ['Indexes', 2],
        ['Foreign keys', 1],
      ])
      expect(schema.tables[3]?.rows[0]).toMatchObject({
        name: 'buyer',
        columns: 'customer_id',
        refers_to: 'customer',
        referred_columns: 'id',
      })
    })
    test('no more rows than asked for', async () => {
      const { tables, text } = await sql.done('query', {
        database: 'main',
        sql: 'select seq from seq_1_to_100000000',
        limit: 700,
      })
      expect(tables[0]?.rows).toHaveLength(700)
      expect(text).toContain('There are more')
      const large = await sql.done('query', {
        database: 'main',
        sql: "select repeat('x', 1000000) as x from seq_1_to_100",
        limit: 1000,
      })
      expect(large.tables[0]!.rows.length).toBeLessThan(20)
    })

    const EFFECT = '/tmp/reeve-mariadb-effect'
    test.each([
      ['insert', "insert into customer values (9, 'x')"],
      ['two statements', "select 1; insert into customer values (9, 'x')"],
      ['a function that inserts', 'select adds()'],
      ['a function that inserts into a table without transactions', 'select adds_plain()'],
      ['into outfile', `select 'x' into outfile '${EFFECT}'`],
      ['into dumpfile', `select 'x' into /**/ dumpfile '${EFFECT}'`],
      ['into outfile in a comment that runs', `select 'x' /*! into outfile '${EFFECT}' */`],
      ['into outfile in a comment that runs on MariaDB', `select 'x' /*M! into outfile '${EFFECT}' */`],
      [
        'into outfile behind a comment with a control character',
        `select 'x' --\x01'\ninto outfile '${EFFECT}' --\x01'`,
      ],
      ['into outfile behind a comment with a carriage return', `select 'x' -- \r'\ninto outfile '${EFFECT}' -- \r'`],
      ['into outfile behind an escape', `select 'x\\'' , 'y' into outfile '${EFFECT}'`],
      ['into outfile behind a text in double quotes', `select "x\\" , '" into outfile '${EFFECT}' -- '`],
      ['load_file', "select load_file('/etc/passwd')"],
      ['load data', "load data infile '/etc/passwd' into table plain"],
      ['load data local', "load data local infile '/etc/passwd' into table plain"],
      ['nextval', 'select nextval(counter)'],
      ['next value for', 'select next value for counter'],
      ['setval', 'select setval(counter, 100)'],
      ['for update', 'select * from customer for update', 'may'],
      ['analyze', 'analyze delete from customer'],
      ['explain analyze', 'explain delete from customer'],
      ['set global', "set global general_log = 'on'"],
      ['set statement', 'set statement max_statement_time = 0 for select 1'],
      ['handler', 'handler customer open'],
      ['kill', 'kill 1'],
      ['call', 'call adds()'],
      ['do', 'do adds()'],
      ['prepare', "prepare x from 'delete from customer'"],
      ['execute immediate', "execute immediate 'delete from customer'"],
      ['a block', 'begin not atomic delete from customer; end'],
      ['create table as', 'create table stolen as select 1'],
      ['start transaction', 'start transaction read write'],
      ['commit', 'commit'],
      ['get_lock', "select get_lock('a', 1)"],
      ['nothing', '# only a comment'],
    ])('query does not run %s', async (_what, statement, may?: string) => {
      if (may === undefined) await sql.refused('query', { database: 'main', sql: statement })
      else await sql.call('query', { database: 'main', sql: statement })
      expect(await counts()).toEqual({ customers: 2, plains: 0 })
      expect(existsSync(EFFECT)).toBe(false)
      expect(await first('select next_not_cached_value as n from counter')).toEqual({ n: 1 })
    })
    test('what begins as reading and changes is stopped by the database', async () => {
      const text = await sql.refused('query', { database: 'main', sql: 'select adds_plain(), adds()' })
      expect(text).toContain('READ ONLY')
    })
    test('the preview of a change counts its rows and leaves nothing; DDL and other engines have none', async () => {
      const preview = (statement: string) => sql.call('preview_execute', { database: 'main', sql: statement })
      const tried = await preview("update customer set name = 'x'")
      if (tried.status === 'done') expect(tried.preview?.state).toBe('update 2')
      else expect(tried.text).toMatch(/can roll back/)
      expect((await preview('truncate customer')).text).toMatch(/no preview/)
      expect((await preview("insert into customer values (sleep(1), 'x')")).text).toMatch(/no preview|not allowed/)
    })
    test('execute changes in a transaction, returns rows, and is undone when it fails', async () => {
      const { text } = await sql.done('execute', {
        database: 'main',
        sql: "insert into customer values (?, ?), (4, 'Di')",
        parameters: [3, 'Cy'],
      })
      expect(text).toContain('2 rows changed')
      expect(
        await sql.refused('execute', { database: 'main', sql: "insert into customer values (5, 'E'), (1, 'twice')" }),
      ).toContain('Duplicate')
      const { tables } = await sql.done('execute', {
        database: 'main',
        sql: 'delete from customer where id > 2 returning id',
      })
      expect(tables[0]?.rows).toEqual([{ id: 3 }, { id: 4 }])
      expect(await counts()).toMatchObject({ customers: 2 })
    })
    test.each([
      ['query', 'select sleep(3600)'],
      ['query', 'select count(*) from seq_1_to_1000000000 a, seq_1_to_1000000000 b'],
      ['execute', 'insert into customer select 1000 + seq, sleep(3600) from seq_1_to_1000'],
    ])('%s is cancelled within 1 s, on the server too: %s', async (tool, statement) => {
      const abort = new AbortController()
      const result = sql.call(tool, { database: 'main', sql: statement }, abort.signal)
      const running = async () =>
        Number(
          (await first(
            "select count(*) as n from information_schema.processlist where user = 'all' and command in ('Query', 'Execute')",
          ))!['n'],
        )
      await until(async () => (await running()) > 0)
      const at = performance.now()
      abort.abort()
      expect(await result).toMatchObject({ status: 'cancelled' })
      expect(performance.now() - at).toBeLessThan(8000)
      await until(async () => (await running()) === 0)
      expect(await counts()).toMatchObject({ customers: 2 })
    })
    test('a statement that runs for ever is stopped at its time limit', async () => {
      expect(
        await sql.refused('query', {
          database: 'main',
          sql: 'select count(*) from seq_1_to_1000000000 a, seq_1_to_1000000000 b',
        }),
      ).toMatch(/max_statement_time|more than 3 s/)
    })
    test('a wrong password is a sentence without it, and a server that never answers does not hold anything up', async () => {
      await using wrong = await openBuiltin(sqlModule('/nowhere'), {
        connections: [`main=mysql://all@127.0.0.1:${server.port}/shop`],
        passwords: 'main=not-the-one',
      })
      const text = await wrong.refused('query', { sql: 'select 1' })
      expect(text).toContain('Access denied')
      expect(text).not.toContain('not-the-one')
    })
  },
)
