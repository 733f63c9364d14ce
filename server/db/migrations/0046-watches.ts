import { type Kysely, sql } from 'kysely'

const MINUTE_S = 60
const HOUR_S = 60 * MINUTE_S
const ALL = { of: 'all' }
const HERE = { of: 'local' }

/** Those that an installation begins with. Once off they stay off: no start makes them again. */
const PRESETS = [
  {
    preset: 'disk',
    name: 'Disk almost full',
    source: { kind: 'figure', figure: 'disk_used', machines: ALL },
    condition: { is: 'above', bound: 90, back: 87, for_s: 10 * MINUTE_S },
    interval_s: 5 * MINUTE_S,
  },
  {
    preset: 'services',
    name: 'Service failed',
    source: { kind: 'figure', figure: 'failed_services', machines: ALL },
    condition: { is: 'above', bound: 0, back: null, for_s: 5 * MINUTE_S },
    interval_s: 5 * MINUTE_S,
  },
  {
    preset: 'backup',
    name: 'Backup overdue',
    source: { kind: 'figure', figure: 'backup_age', machines: HERE },
    // A nightly backup is not always done at the same minute.
    condition: { is: 'above', bound: 24, back: null, for_s: 2 * HOUR_S },
    interval_s: 30 * MINUTE_S,
  },
  {
    preset: 'certificate',
    name: 'Certificate expires soon',
    source: { kind: 'figure', figure: 'certificate_days', machines: HERE },
    condition: { is: 'below', bound: 14, back: null, for_s: 0 },
    interval_s: 6 * HOUR_S,
  },
]

/** Watches, what they know of each subject, and when they crossed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('watch')
    .addColumn('watch_id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.references('user.user_id').onDelete('cascade'))
    .addColumn('preset', 'text', (c) => c.unique())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('name_folded', 'text', (c) => c.notNull())
    .addColumn('enabled', 'integer', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('condition', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('interval_s', 'integer', (c) => c.notNull())
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('next_at', 'bigint', (c) => c.notNull())
    .addColumn('looked_at', 'bigint')
    .addColumn('problem', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
  await sql`create unique index watch_own on watch (user_id, name_folded) where user_id is not null`.execute(db)
  await sql`create unique index watch_shared on watch (name_folded) where user_id is null`.execute(db)
  await sql`create index watch_due on watch (next_at) where enabled = 1`.execute(db)

  await db.schema
    .createTable('watch_state')
    .addColumn('watch_id', 'text', (c) => c.notNull().references('watch.watch_id').onDelete('cascade'))
    .addColumn('subject_key', 'text', (c) => c.notNull())
    .addColumn('machine', 'text', (c) => c.notNull())
    .addColumn('row_name', 'text', (c) => c.notNull())
    .addColumn('phase', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('problem', 'text')
    .addColumn('since', 'bigint', (c) => c.notNull())
    .addColumn('held_ms', 'bigint', (c) => c.notNull())
    .addColumn('beyond_at', 'bigint')
    .addColumn('crossing_id', 'text')
    .addColumn('told_at', 'bigint')
    .addPrimaryKeyConstraint('watch_state_pk', ['watch_id', 'subject_key'])
    .execute()

  await db.schema
    .createTable('watch_crossing')
    .addColumn('crossing_id', 'text', (c) => c.primaryKey())
    .addColumn('watch_id', 'text', (c) => c.notNull().references('watch.watch_id').onDelete('cascade'))
    .addColumn('machine', 'text', (c) => c.notNull())
    .addColumn('row_name', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('crossed_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('ended', 'text')
    .addColumn('told', 'integer', (c) => c.notNull())
    .addColumn('routine', 'text')
    .execute()
  await db.schema
    .createIndex('watch_crossing_watch')
    .on('watch_crossing')
    .columns(['watch_id', 'crossing_id'])
    .execute()

  const action = { tell: { to: 'administrators' }, on_recovery: false, repeat_s: null, routine_id: null }
  // Due at once. Without a time of its own, so that it is the same whenever it runs.
  for (const { preset, name, source, condition, interval_s } of PRESETS)
    await sql`insert into watch (watch_id, user_id, preset, name, name_folded, enabled, source, condition, action,
      interval_s, scope, revision, next_at, created_at, updated_at)
      values (${`wat_${preset}`}, ${null}, ${preset}, ${name}, ${name.toLowerCase()}, 1, ${JSON.stringify(source)},
      ${JSON.stringify(condition)}, ${JSON.stringify(action)}, ${interval_s}, ${'[]'}, 1,
      0, 0, 0)`.execute(db)
}
