import { type Kysely, sql } from 'kysely'

/** The one engine of the settings, as it was stored until now. */
interface StoredEngine {
  readonly provider: string
  readonly base_url: string | null
  readonly model: string
  readonly sealed_key: string | null
  readonly key_updated_at: number | null
  readonly context_tokens: number
  readonly price: { readonly input_micros: number; readonly output_micros: number } | null
  readonly timeout_ms: number
  readonly idle_timeout_ms: number
  readonly updated_by: string
}

const SETTING = 'ai.engine'
const FIRST = 'eng_first'

/** Any number of engines: which one a conversation has chosen, which one answered, and use and limits of each. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('engine')
    .addColumn('engine_id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('name_folded', 'text', (c) => c.notNull().unique())
    .addColumn('provider', 'text', (c) => c.notNull())
    .addColumn('base_url', 'text')
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('models', 'text', (c) => c.notNull())
    .addColumn('sealed_key', 'text')
    .addColumn('key_updated_at', 'bigint')
    .addColumn('context_tokens', 'bigint', (c) => c.notNull())
    .addColumn('price', 'text')
    .addColumn('timeout_ms', 'bigint', (c) => c.notNull())
    .addColumn('idle_timeout_ms', 'bigint', (c) => c.notNull())
    .addColumn('role_ids', 'text', (c) => c.notNull())
    .addColumn('is_default', 'integer', (c) => c.notNull())
    .addColumn('is_naming', 'integer', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_by', 'text', (c) => c.notNull())
    .execute()
  const add = (table: string, column: string) => db.schema.alterTable(table).addColumn(column, 'text').execute()
  await add('conversation', 'engine_id')
  await add('conversation', 'model')
  await add('run', 'engine_id')
  await add('run', 'engine')
  const model = await moveSetting(db)
  await divideUsage(db, model)
  await divideQuotas(db)
}

/** The stored engine becomes the first row, with its key as it is sealed. Returns its model; empty if there was none. */
async function moveSetting(db: Kysely<unknown>): Promise<string> {
  const { rows } = await sql<{ value: string; updated_at: number }>`
    select value, updated_at from setting where key = ${SETTING}`.execute(db)
  const [row] = rows
  if (row === undefined) return ''
  const engine = JSON.parse(row.value) as StoredEngine
  const { model, provider, base_url, sealed_key, key_updated_at, context_tokens, timeout_ms, idle_timeout_ms } = engine
  const price = engine.price === null ? null : JSON.stringify(engine.price)
  await sql`insert into engine (engine_id, name, name_folded, provider, base_url, model, models, sealed_key, key_updated_at,
      context_tokens, price, timeout_ms, idle_timeout_ms, role_ids, is_default, is_naming, updated_at, updated_by)
    values (${FIRST}, ${model}, ${model.toLowerCase()}, ${provider}, ${base_url}, ${model}, ${JSON.stringify([model])},
      ${sealed_key}, ${key_updated_at}, ${context_tokens}, ${price}, ${timeout_ms}, ${idle_timeout_ms}, '[]', 1, 0,
      ${row.updated_at}, ${engine.updated_by})`.execute(db)
  await sql`delete from setting where key = ${SETTING}`.execute(db)
  return model
}

/** Use is counted per engine as well; what was used so far is the engine's whose model it names. */
async function divideUsage(db: Kysely<unknown>, model: string): Promise<void> {
  await db.schema
    .createTable('usage_day_of_engine')
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.notNull().references('user.user_id').onDelete('cascade'))
    .addColumn('engine_id', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('messages', 'bigint', (c) => c.notNull())
    .addColumn('input_tokens', 'bigint', (c) => c.notNull())
    .addColumn('output_tokens', 'bigint', (c) => c.notNull())
    .addColumn('cost_micros', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('usage_day_of_engine_pk', ['user_id', 'day', 'engine_id', 'model'])
    .execute()
  await sql`insert into usage_day_of_engine
      (day, user_id, engine_id, model, messages, input_tokens, output_tokens, cost_micros)
    select day, user_id, case when model = ${model} then ${sql.lit(FIRST)} else '' end, model, messages, input_tokens,
      output_tokens, cost_micros from usage_day`.execute(db)
  await db.schema.dropTable('usage_day').execute()
  await db.schema.alterTable('usage_day_of_engine').renameTo('usage_day').execute()
  await db.schema.createIndex('usage_day_day').on('usage_day').columns(['day']).execute()
}

/** A role may have limits for one engine besides those for all together, whose `engine_id` is empty. */
async function divideQuotas(db: Kysely<unknown>): Promise<void> {
  const limits = [
    'day_messages',
    'day_tokens',
    'day_cost_micros',
    'month_messages',
    'month_tokens',
    'month_cost_micros',
  ] as const
  let table = db.schema
    .createTable('quota_of_engine')
    .addColumn('role_id', 'text', (c) => c.notNull().references('role.role_id').onDelete('cascade'))
    .addColumn('engine_id', 'text', (c) => c.notNull())
  for (const limit of limits) table = table.addColumn(limit, 'bigint')
  await table.addPrimaryKeyConstraint('quota_of_engine_pk', ['role_id', 'engine_id']).execute()
  const columns = sql.raw(limits.join(', '))
  await sql`insert into quota_of_engine (role_id, engine_id, ${columns}) select role_id, '', ${columns} from quota`.execute(
    db,
  )
  await db.schema.dropTable('quota').execute()
  await db.schema.alterTable('quota_of_engine').renameTo('quota').execute()
}
