import type { Quota } from '../../contract/usage.ts'
import type { QuotaTable } from '../db/usage-tables.ts'
import type { Reader, Trx } from '../db/database.ts'
import { query } from '../db/statement.ts'

const KINDS = ['messages', 'tokens', 'cost_micros'] as const
const NO_QUOTA: Quota = {
  day: { messages: null, tokens: null, cost_micros: null },
  month: { messages: null, tokens: null, cost_micros: null },
}

const QUOTA = query((db, is: { role_id: string }) =>
  db.selectFrom('quota').selectAll().where('role_id', '=', is.role_id),
)

/** The quota of a role. */
export async function readQuota(reader: Reader, role_id: string): Promise<Quota> {
  const row = await QUOTA.first(reader, { role_id })
  return row === undefined ? NO_QUOTA : toQuota(row)
}

export async function writeQuota(trx: Trx, role_id: string, { day, month }: Quota): Promise<void> {
  const limits = {
    day_messages: day.messages,
    day_tokens: day.tokens,
    day_cost_micros: day.cost_micros,
    month_messages: month.messages,
    month_tokens: month.tokens,
    month_cost_micros: month.cost_micros,
  }
  await trx
    .insertInto('quota')
    .values({ role_id, ...limits })
    .onConflict((conflict) => conflict.column('role_id').doUpdateSet(limits))
    .execute()
}

/** Every role with its quota, in order of creation. */
export async function listQuotas(reader: Reader) {
  const roles = await reader.selectFrom('role').select(['role_id', 'name']).orderBy('role_id').execute()
  const rows = await reader.selectFrom('quota').selectAll().execute()
  const users = await reader
    .selectFrom('user')
    .select(['role_id', (eb) => eb.fn.countAll<number | string>().as('users')])
    .groupBy('role_id')
    .execute()
  const quotas = new Map(rows.map((row) => [row.role_id, toQuota(row)]))
  const counts = new Map(users.map((row) => [row.role_id, Number(row.users)]))
  return roles.map(({ role_id, name }) => ({
    role_id,
    role: name,
    users: counts.get(role_id) ?? 0,
    quota: quotas.get(role_id) ?? NO_QUOTA,
  }))
}

export function isUnlimited({ day, month }: Quota): boolean {
  return KINDS.every((kind) => day[kind] === null && month[kind] === null)
}

function toQuota(row: QuotaTable): Quota {
  return {
    day: { messages: row.day_messages, tokens: row.day_tokens, cost_micros: row.day_cost_micros },
    month: { messages: row.month_messages, tokens: row.month_tokens, cost_micros: row.month_cost_micros },
  }
}
