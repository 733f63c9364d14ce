import { type Kysely, sql } from 'kysely'
import type { Dialect } from './dialect.ts'
import { mergeWithWrites } from './migrations/0005-search.ts'
import type { Tables } from './schema.ts'

/** The first migration was split into three, which together create the same schema. */
const DIVIDED = { name: '0001-initial', into: ['0001-accounts', '0002-chat', '0003-files-and-modules'] } as const

interface Columns {
  readonly name: string
  readonly columns: readonly string[]
}

/** The migrations that made a database, by their current names, in order; before there were kinds, all were alike. */
export async function appliedMigrations(db: Kysely<Tables>): Promise<{ name: string; kind: string }[]> {
  const { rows } = await sql<{ name: string; kind?: string }>`select * from migration order by name`.execute(db)
  return rows.flatMap(({ name, kind = 'expand' }) => migrationsNow([name]).map((now) => ({ name: now, kind })))
}

/** Stored names of migrations, mapped to their current names. */
export function migrationsNow(names: readonly string[]): string[] {
  return names.flatMap((name) => (name === DIVIDED.name ? DIVIDED.into : [name])).sort()
}

/**
 * The migrations 0002 and 0005 were changed after the first databases had been made with them. Brings such a database
 * to what they create now, so that later migrations find what they expect. Does nothing to any other. In one
 * transaction.
 */
export async function completeEarlySchema(db: Kysely<Tables>, dialect: Dialect): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from migration`.execute(db)
  const done = migrationsNow(rows.map(({ name }) => name))
  if (!done.includes('0002-chat')) return
  const list = !(await hasColumn(db, dialect, 'conversation', 'head_message_id'))
  const unnamed = !(await hasColumn(db, dialect, 'message_part', 'file_id'))
  const unmerged =
    dialect.name === 'sqlite' && done.includes('0005-search') && !(await hasTrigger(db, 'search_segment_written'))
  const undivided = rows.some(({ name }) => name === DIVIDED.name)
  if (!list && !unnamed && !unmerged && !undivided) return
  await dialect.changeSchema(db, async (trx) => {
    if (list) await makeTree(trx, dialect)
    if (unnamed) await nameFiles(trx, dialect)
    if (unmerged) await mergeWithWrites(trx as unknown as Kysely<unknown>)
    if (!undivided) return
    await sql`delete from migration where name = ${DIVIDED.name}`.execute(trx)
    for (const name of DIVIDED.into)
      await sql`insert into migration (name, at) values (${name}, ${Date.now()})`.execute(trx)
  })
}

/**
 * Gives the empty tables of 0002 the shape that the rows of an early database have: the reverse, for a copy that must
 * be restored as it was taken. `completeEarlySchema` then does to the copy what it does to the original.
 */
export async function makeEarlySchema(db: Kysely<Tables>, stored: readonly Columns[]): Promise<void> {
  const lacks = (table: string, column: string) =>
    stored.some(({ name, columns }) => name === table && !columns.includes(column))
  const run = (...statements: string[]) =>
    db.transaction().execute(async (trx) => {
      for (const statement of statements) await sql.raw(statement).execute(trx)
    })
  if (lacks('conversation', 'head_message_id'))
    await run(
      'alter table conversation drop column head_message_id',
      'alter table conversation add column last_position integer not null default 0',
      'drop index message_parent',
      'alter table message drop column parent_id',
    )
  if (lacks('message_part', 'file_id'))
    await run('drop index message_part_file', 'alter table message_part drop column file_id')
}

/**
 * Messages used to be a list, numbered without gaps; now each names its predecessor, and a conversation its newest one.
 */
async function makeTree(db: Kysely<Tables>, dialect: Dialect): Promise<void> {
  const run = async (...statements: string[]): Promise<void> => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  }
  if (dialect.name === 'postgres')
    await run(
      'alter table message drop constraint if exists message_position',
      'alter table message add column parent_id text',
    )
  // SQLite cannot drop a constraint: both tables are recreated, the parts because they refer to the messages.
  else
    await run(
      'drop index message_run',
      'alter table message rename to early_message',
      'alter table message_part rename to early_part',
      `create table message (message_id text not null primary key,
        conversation_id text not null references conversation (conversation_id) on delete cascade, parent_id text,
        position integer not null, role text not null, status text not null, run_id text, created_at bigint not null)`,
      `insert into message (message_id, conversation_id, position, role, status, run_id, created_at)
        select message_id, conversation_id, position, role, status, run_id, created_at from early_message`,
      'create index message_run on message (run_id)',
      `create table message_part (message_id text not null references message (message_id) on delete cascade,
        part_index integer not null, step integer not null, type text not null, text text not null, data text not null,
        text_folded text not null, constraint message_part_pk primary key (message_id, part_index))`,
      `insert into message_part (message_id, part_index, step, type, text, data, text_folded)
        select message_id, part_index, step, type, text, data, text_folded from early_part`,
      'drop table early_part',
      'drop table early_message',
    )
  await run(
    `update message set parent_id = (select before.message_id from message as before
      where before.conversation_id = message.conversation_id and before.position < message.position
      order by before.position desc limit 1)`,
    'create index message_parent on message (conversation_id, parent_id)',
    'alter table conversation add column head_message_id text',
    `update conversation set head_message_id = (select message_id from message
      where message.conversation_id = conversation.conversation_id order by position desc limit 1)`,
    'alter table conversation drop column last_position',
  )
}

/** The file of a part was only named in its data. */
async function nameFiles(db: Kysely<Tables>, dialect: Dialect): Promise<void> {
  const named = dialect.name === 'sqlite' ? "json_extract(data, '$.file_id')" : "data::json ->> 'file_id'"
  await sql.raw('alter table message_part add column file_id text').execute(db)
  await sql.raw(`update message_part set file_id = ${named} where type = 'file'`).execute(db)
  await sql.raw('create index message_part_file on message_part (file_id) where file_id is not null').execute(db)
}

export async function hasColumn(db: Kysely<Tables>, dialect: Dialect, table: string, column: string): Promise<boolean> {
  const { rows } =
    dialect.name === 'sqlite'
      ? await sql`select 1 from pragma_table_info(${table}) where name = ${column}`.execute(db)
      : await sql`select 1 from information_schema.columns
          where table_schema = current_schema() and table_name = ${table} and column_name = ${column}`.execute(db)
  return rows.length > 0
}

async function hasTrigger(db: Kysely<Tables>, name: string): Promise<boolean> {
  const { rows } = await sql`select 1 from sqlite_master where type = 'trigger' and name = ${name}`.execute(db)
  return rows.length > 0
}
