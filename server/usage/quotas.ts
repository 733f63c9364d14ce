import { EVERYBODY } from '../../contract/rules.ts'
import type { Quota } from '../../contract/usage.ts'
import type { QuotaTable } from '../db/rows/usage-tables.ts'
import type { Reader, Trx } from '../db/database.ts'
import { query } from '../db/statement.ts'

const KINDS = ['messages', 'tokens', 'cost_micros'] as const
const NO_QUOTA: Quota = {
  day: { messages: null, tokens: null, cost_micros: null },
  month: { messages: null, tokens: null, cost_micros: null },
}

/** Of all engines together first. */
const QUOTAS = query((db, is: { role_id: string; engine_id: string }) =>
  db
    .selectFrom('quota')
    .selectAll()
    .where('role_id', '=', is.role_id)
    .where((row) => row.or([row('engine_id', '=', ''), row('engine_id', '=', is.engine_id)]))
    .orderBy('engine_id'),
)

/** The quota of a role, of one engine or of all ('') together. */
export async function readQuota(reader: Reader, role_id: string, engine_id = ''): Promise<Quota> {
  const rows = await QUOTAS.all(reader, { role_id, engine_id })
  const row = rows.find((one) => one.engine_id === engine_id)
  return row === undefined ? NO_QUOTA : toQuota(row)
}

/** What a role may use of all engines together, and of this one. */
export async function quotasFor(reader: Reader, role_id: string, engine_id: string) {
  const rows = await QUOTAS.all(reader, { role_id, engine_id })
  return rows.map((row) => ({ engine_id: row.engine_id, quota: toQuota(row) }))
}

export async function writeQuota(
  trx: Trx,
  { role_id, engine_id }: { readonly role_id: string; readonly engine_id: string },
  { day, month }: Quota,
): Promise<void> {
  const limits = {
    day_messages: day.messages,
    day_tokens: day.tokens,
    day_cost_micros: day.cost_micros,
    month_messages: month.messages,
    month_tokens: month.tokens,
    month_cost_micros: month.cost_micros,
    day_calls: day.calls ?? null,
    month_calls: month.calls ?? null,
  }
  await trx
    .insertInto('quota')
    .values({ role_id, engine_id, ...limits })
    .onConflict((conflict) => conflict.columns(['role_id', 'engine_id']).doUpdateSet(limits))
    .execute()
}

/** Every role with its quota, in order of creation. */
export async function listQuotas(reader: Reader) {
  const roles = await reader
    .selectFrom('role')
    .select(['role_id', 'name'])
    .where('name_folded', '!=', EVERYBODY)
    .orderBy('role_id')
    .execute()
  const rows = await reader.selectFrom('quota').selectAll().execute()
  const users = await reader
    .selectFrom('user')
    .select(['role_id', (eb) => eb.fn.countAll<number | string>().as('users')])
    .groupBy('role_id')
    .execute()
  const whole = rows.filter((row) => row.engine_id === '')
  const quotas = new Map(whole.map((row) => [row.role_id, toQuota(row)]))
  const counts = new Map(users.map((row) => [row.role_id, Number(row.users)]))
  return roles.map(({ role_id, name }) => ({
    role_id,
    role: name,
    users: counts.get(role_id) ?? 0,
    quota: quotas.get(role_id) ?? NO_QUOTA,
    engines: rows
      .filter((row) => row.role_id === role_id && row.engine_id !== '')
      .map((row) => ({ engine_id: row.engine_id, quota: toQuota(row) }))
      .filter((row) => !isUnlimited(row.quota)),
  }))
}

export function isUnlimited({ day, month }: Quota): boolean {
  return KINDS.every((kind) => day[kind] === null && month[kind] === null)
}

function toQuota(row: QuotaTable): Quota {
  return {
    day: {
      messages: row.day_messages,
      tokens: row.day_tokens,
      cost_micros: row.day_cost_micros,
      ...(row.day_calls !== null && { calls: row.day_calls }),
    },
    month: {
      messages: row.month_messages,
      tokens: row.month_tokens,
      cost_micros: row.month_cost_micros,
      ...(row.month_calls !== null && { calls: row.month_calls }),
    },
  }
}
