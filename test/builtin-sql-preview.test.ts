import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sqlModule } from '../builtin/sql/module.ts'
import { openBuiltin, type BuiltinHost } from './stage/modules/builtin-host.ts'
import { createDatabase, databases } from './stage/servers/postgres.ts'

const TABLE =
  "create table customer (id integer primary key, name text not null); insert into customer values (1, 'Ann'), (2, 'Börje');"

describe('SQLite', () => {
  let folder: string
  let sql: BuiltinHost
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reeve-sql-'))
    const file = join(folder, 'shop.db')
    using db = new DatabaseSync(file)
    db.exec(TABLE)
    sql = await openBuiltin(sqlModule(join(folder, 'data')), { connections: [`main=sqlite:${file}`], read_only: false })
  })
  afterAll(async () => {
    await sql[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })
  function count(): unknown {
    using db = new DatabaseSync(join(folder, 'shop.db'))
    return db.prepare('select count(*) as n from customer').get()?.['n']
  }

  test('in a SQLite file: the preview of a change shows the rows that it touches, and leaves nothing', async () => {
    const preview = async (statement: string) =>
      (await sql.done('preview_execute', { database: 'main', sql: statement })).preview
    expect(await preview("insert into customer values (7, 'Cy')")).toEqual({
      state: 'insert 1',
      parts: [{ kind: 'diff', title: 'main: INSERT, 1 rows', text: '+ {"id":7,"name":"Cy"}' }],
    })
    expect((await preview('delete from customer where id = 2 -- all'))?.parts[0]?.text).toBe(
      '- {"id":2,"name":"Börje"}',
    )
    expect(await preview("update customer set name = name || '!'")).toMatchObject({
      state: 'update 2',
      parts: [{ kind: 'list', text: '{"id":1,"name":"Ann!"}\n{"id":2,"name":"Börje!"}' }],
    })
    expect((await preview("update customer set name = '' where id = 9"))?.parts[0]?.text).toBe('0 rows')
    expect(count()).toBe(2)
    expect(await sql.refused('preview_execute', { database: 'main', sql: 'drop table customer' })).toMatch(/no preview/)
    expect(
      await sql.refused('preview_execute', { database: 'main', sql: 'insert into customer values (1, null)' }),
    ).toMatch(/NOT NULL|UNIQUE/)
    expect(count()).toBe(2)
  })
})

describe.runIf(databases.some(({ name }) => name === 'postgres'))('PostgreSQL', () => {
  let admin: pg.Client
  let sql: BuiltinHost
  beforeAll(async () => {
    const url = new URL(await createDatabase())
    admin = new pg.Client({ connectionString: url.href })
    await admin.connect()
    await admin.query(`${TABLE}
      create table orders (id bigint primary key, total numeric(40,2));
      insert into orders values (1, 12.50), (9007199254740993, 99999999999999999999.01);
      create sequence counter;
      create function adds() returns int language plpgsql as $$ begin insert into customer values (50, 'x'); return 1; end $$`)
    sql = await openBuiltin(sqlModule('/nowhere'), {
      connections: [`main=postgres://${url.username}@${url.host}${url.pathname}`],
      passwords: `main=${url.password}`,
      read_only: false,
    })
  })
  afterAll(async () => {
    await sql[Symbol.asyncDispose]()
    await admin.end()
  })

  test('the preview of a change shows the rows that it touches, and leaves nothing', async () => {
    const preview = async (statement: string) =>
      (await sql.done('preview_execute', { database: 'main', sql: statement })).preview
    expect(await preview("insert into public.customer (id, name) values (3, upper('c'));")).toEqual({
      state: 'insert 1',
      parts: [{ kind: 'diff', title: 'main: INSERT, 1 rows', text: '+ {"id":3,"name":"C"}' }],
    })
    const deleted = await preview('delete from orders')
    expect(deleted?.state).toMatch(/^delete 2 [0-9a-f]{64}$/)
    expect(deleted?.parts[0]?.text).toContain('- {"id":"9007199254740993"')
    expect((await preview("update customer set name = 'x' returning id"))?.parts[0]?.text).toBe('{"id":1}\n{"id":2}')
    for (const statement of [
      'insert into customer select adds(), name from customer',
      'delete from customer where id = public."adds"()',
      "insert into customer values (nextval('counter'), 'x')",
      "insert into customer select 1000 + g, 'x' from generate_series(1, 2) g",
      'create table made (id int)',
      'with gone as (delete from customer returning *) select 1',
    ])
      expect(await sql.refused('preview_execute', { database: 'main', sql: statement })).toMatch(/no preview/)
    const { rows } = await admin.query('select (select count(*) from customer)::int, (select is_called from counter)')
    expect(rows).toEqual([{ count: 2, is_called: false }])
  })
})
