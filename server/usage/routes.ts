import type { Caller, Handlers } from '../../contract/route.ts'
import type { usage as contract } from '../../contract/usage.ts'
import type { Database, Trx } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { metersOf } from './meters.ts'
import { listQuotas, readQuota, writeQuota } from './quotas.ts'
import { dayOf } from '../kernel/time.ts'
import { usageByDay, usageByEngine, usageByModel, usageByUser } from './usage-days.ts'

const MOST_USERS = 1000

export interface UsageOptions {
  readonly db: Database
  /** The audit log; `accounts` implements it, `app` fills it. */
  readonly audit: {
    record(
      trx: Trx,
      entry: { actor: Caller; action: string; target: string; outcome: 'ok'; details: Record<string, unknown> },
    ): Promise<void>
  }
  /** Whether any engine has a price. */
  readonly priced: () => boolean
  readonly engines: () => readonly { readonly engine_id: string; readonly name: string }[]
}

/** One handler for each route of usage and limits. */
export function usageRoutes({ db, audit, priced, engines }: UsageOptions): Handlers<typeof contract> {
  return {
    myUsage: async ({ caller, query }) => ({
      ...(await metersOf(db.read, caller, Date.now())),
      days: await usageByDay(db.read, dayOf(Date.now(), query.days - 1), caller.user_id),
    }),
    allUsage: async ({ query }) => {
      const from = dayOf(Date.now(), query.days - 1)
      const [days, users, models, ofEngines] = await Promise.all([
        usageByDay(db.read, from, null),
        usageByUser(db.read, from, MOST_USERS),
        usageByModel(db.read, from),
        usageByEngine(db.read, from),
      ])
      const names = new Map(engines().map(({ engine_id, name }) => [engine_id, name]))
      const named = ofEngines.map((row) => ({ ...row, name: names.get(row.engine_id) ?? null }))
      return { from, days, users, models, engines: named }
    },
    quotas: async () => ({
      items: await listQuotas(db.read),
      engines: engines().map(({ engine_id, name }) => ({ engine_id, name })),
      priced: priced(),
    }),
    saveQuota: async ({ caller, params: { role_id }, body: { engine_id = '', ...quota } }) => {
      const engine = engines().find((one) => one.engine_id === engine_id)
      if (engine_id !== '' && engine === undefined) throw new AppError('not_found', say`There is no such engine.`)
      await db.transaction(async (trx) => {
        const role = await trx.selectFrom('role').select('name').where('role_id', '=', role_id).executeTakeFirst()
        if (role === undefined) throw new AppError('not_found', say`There is no such role.`)
        const before = await readQuota(trx, role_id, engine_id)
        await writeQuota(trx, { role_id, engine_id }, quota)
        const details = { role: role.name, ...(engine && { engine: engine.name }), before, after: quota }
        await audit.record(trx, { actor: caller, action: 'quota.updated', target: role_id, outcome: 'ok', details })
      })
      return { ok: true, role_id, quota }
    },
  }
}
