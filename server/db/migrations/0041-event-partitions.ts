import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

const PASSING = `('run.delta', 'journal.lines')`
/** Ids per partition, of what passes and of what lasts. */
const FEW = 100_000
const MANY = 10_000_000

/**
 * Events that pass soon are found without the others: on SQLite by an index, on PostgreSQL in partitions of their own.
 * There, both kinds are divided by ranges of ids, so that old ones are removed by dropping a table (event-partitions.ts).
 * The table as it was becomes the first partition of what lasts: nothing is copied, but it is read once while it is
 * locked. What passes and is in it is removed, and whoever has not read it gets a new snapshot.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const run = async (...statements: string[]): Promise<void> => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  }
  if (dialect.name === 'sqlite') return run(`create index event_passing on event (at) where type in ${PASSING}`)

  await run('lock table event in access exclusive mode')
  const { rows } = await sql<{ last: number }>`select case when is_called then last_value else 0 end as last
    from event_id_seq`.execute(db)
  const last = Number(rows[0]!.last)
  const few = Math.floor(last / FEW) * FEW
  const many = Math.floor(last / MANY) * MANY
  await run(
    `insert into event_horizon (user_id, event_id)
      select user_id, max(id) from event where type in ${PASSING} group by user_id order by user_id
      on conflict (user_id) do update set event_id = greatest(event_horizon.event_id, excluded.event_id)`,
    `delete from event where type in ${PASSING}`,
    'alter table event rename to event_lasting_first',
    'alter table event_lasting_first alter column id drop identity',
    ...['user', 'conversation', 'run', 'age'].map(
      (of) => `alter index event_${of} rename to event_lasting_first_${of}`,
    ),
    'alter index event_pkey rename to event_lasting_first_pkey',
    `create table event (id bigint not null generated always as identity (start with ${last + 1}),
      user_id text not null references "user" (user_id) on delete cascade, conversation_id text, run_id text,
      type text not null, data text not null, at bigint not null) partition by list (type)`,
    'create index event_user on event (user_id, id)',
    'create index event_conversation on event (conversation_id)',
    'create index event_age on event (at)',
    `create table event_passing partition of event for values in ${PASSING} partition by range (id)`,
    'create table event_lasting partition of event default partition by range (id)',
    'create table event_passing_rest partition of event_passing default',
    `create table event_passing_${few} partition of event_passing for values from (${few}) to (${few + FEW})`,
    `create table event_passing_${few + FEW} partition of event_passing
      for values from (${few + FEW}) to (${few + 2 * FEW})`,
    // Before there is a rest, which would be read as well.
    `alter table event_lasting attach partition event_lasting_first for values from (minvalue) to (${many + MANY})`,
    'create table event_lasting_rest partition of event_lasting default',
    `create table event_lasting_${many + MANY} partition of event_lasting
      for values from (${many + MANY}) to (${many + 2 * MANY})`,
  )
}
