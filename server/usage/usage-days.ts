import { sql } from 'kysely'
import type { UsageDay, UsageSums } from '../../contract/usage.ts'
import type { UsedTokens } from '../chat/ports/usage.ts'
import type { Reader, Trx } from '../db/database.ts'
import { change } from '../db/statement.ts'
import type { UsageDayTable } from '../db/rows/usage-tables.ts'

/** Adds to the row of this day, user, engine and model. */
export async function addUsage(
  trx: Trx,
  of: { day: string; user_id: string; engine_id: string; model: string },
  used: { messages: number } & UsedTokens,
): Promise<void> {
  await ADD.run(trx, { ...of, ...used, cost_micros: used.cost_micros ?? 0 })
}

const ADD = change((db, is: Pick<UsageDayTable, keyof UsageDayTable>) =>
  db
    .insertInto('usage_day')
    .values({
      day: is.day,
      user_id: is.user_id,
      engine_id: is.engine_id,
      model: is.model,
      messages: is.messages,
      input_tokens: is.input_tokens,
      output_tokens: is.output_tokens,
      cost_micros: is.cost_micros,
    })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'day', 'engine_id', 'model']).doUpdateSet((row) => ({
        messages: row('usage_day.messages', '+', row.ref('excluded.messages')),
        input_tokens: row('usage_day.input_tokens', '+', row.ref('excluded.input_tokens')),
        output_tokens: row('usage_day.output_tokens', '+', row.ref('excluded.output_tokens')),
        cost_micros: row('usage_day.cost_micros', '+', row.ref('excluded.cost_micros')),
      })),
    ),
)

/** Sums cast so that PostgreSQL returns numbers: the values are far below 2^53. */
const SUMS = (['messages', 'input_tokens', 'output_tokens', 'cost_micros'] as const).map((column) =>
  sql<number>`cast(coalesce(sum(${sql.ref(`usage_day.${column}`)}), 0) as bigint)`.as(column),
)

/** Everything a user has used since a day; of one engine, or of all ('') together. */
export async function usedSince(reader: Reader, user_id: string, day: string, engine_id = ''): Promise<UsageSums> {
  const row = await reader
    .selectFrom('usage_day')
    .select(SUMS)
    .where('user_id', '=', user_id)
    .where('day', '>=', day)
    .$if(engine_id !== '', (query) => query.where('engine_id', '=', engine_id))
    .executeTakeFirstOrThrow()
  return row
}

/** Usage per day since `from`, oldest first; of one user, or of all (null). */
export async function usageByDay(reader: Reader, from: string, user_id: string | null): Promise<UsageDay[]> {
  const rows = await reader
    .selectFrom('usage_day')
    .select(['day', ...SUMS])
    .where('day', '>=', from)
    .$if(user_id !== null, (query) => query.where('user_id', '=', user_id!))
    .groupBy('day')
    .orderBy('day')
    .execute()
  return rows
}

/** Usage per user since `from`, the largest first. */
export async function usageByUser(reader: Reader, from: string, limit: number) {
  const rows = await reader
    .selectFrom('usage_day')
    .innerJoin('user', 'user.user_id', 'usage_day.user_id')
    .innerJoin('role', 'role.role_id', 'user.role_id')
    .select(['usage_day.user_id', 'user.username', 'role.name as role', ...SUMS])
    .where('day', '>=', from)
    .groupBy(['usage_day.user_id', 'user.username', 'role.name'])
    .orderBy(sql`sum(usage_day.input_tokens + usage_day.output_tokens)`, 'desc')
    .orderBy('usage_day.user_id')
    .limit(limit)
    .execute()
  return rows as (UsageSums & { user_id: string; username: string; role: string })[]
}

export async function usageByModel(reader: Reader, from: string) {
  const rows = await reader
    .selectFrom('usage_day')
    .select(['model', ...SUMS])
    .where('day', '>=', from)
    .groupBy('model')
    .orderBy('model')
    .execute()
  return rows as (UsageSums & { model: string })[]
}

export async function usageByEngine(reader: Reader, from: string) {
  const rows = await reader
    .selectFrom('usage_day')
    .select(['engine_id', ...SUMS])
    .where('day', '>=', from)
    .groupBy('engine_id')
    .orderBy('engine_id')
    .execute()
  return rows as (UsageSums & { engine_id: string })[]
}
