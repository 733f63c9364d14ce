import type { Trx } from '../db/database.ts'
import { newId } from '../kernel/id.ts'
import { dayOf } from '../kernel/time.ts'
import { hashOf } from '../kernel/text/canonical.ts'
import type { Tool } from '../chat/ports/tools.ts'
import type { ClientRequest, GatewayContext } from './ports.ts'

/** Calls of one client that have not ended, and calls that it may begin in a minute. */
const AT_ONCE = 8
const A_MINUTE = 120
const MINUTE = 60_000
/** Rows of calls are kept until no month counts them any more. */
const KEEP = 40 * 24 * 60 * MINUTE

/** Thrown when a client begins more than it may; for its model, in English. */
export class TooManyCalls extends Error {}

/**
 * Stores a call as a run of its own and lets it go; returns the id of the run. The same call while it waits for a person
 * is the one that waits. @throws {TooManyCalls}
 */
export async function startCall<Begun>(
  context: Pick<GatewayContext<Begun>, 'db' | 'runs' | 'quota'>,
  { caller, asks }: Pick<ClientRequest, 'caller' | 'asks'>,
  { module, name }: Pick<Tool, 'module' | 'name'>,
  input: Record<string, unknown>,
): Promise<string> {
  const { db, runs } = context
  const { user_id, session_id: client_id } = caller
  const request_hash = hashOf({ module, name, input })
  const run_id = newId('run')
  const message = `/${module}.${name} ${JSON.stringify(input)}`
  const open = await runs.prepare(caller, { run_id, message, client: await clientName(context, client_id), asks })
  const started = await db.transaction(async (trx) => {
    // Counted one after the other, whichever process has them.
    await db.dialect.serialize(trx, `gateway:${user_id}`)
    const same = await waitingCall(trx, client_id, request_hash)
    if (same !== undefined) return same
    const now = Date.now()
    await checkLimits(trx, client_id, now)
    await checkQuota(trx, user_id, await context.quota(trx, caller.role_id), now)
    await trx.insertInto('gateway_call').values({ run_id, user_id, client_id, request_hash, created_at: now }).execute()
    return { begun: await open(trx) }
  })
  if (typeof started === 'string') return started
  runs.begin(started.begun)
  return run_id
}

/** The run of the same call of this client that waits for a person. */
async function waitingCall(trx: Trx, client_id: string, request_hash: string): Promise<string | undefined> {
  const row = await trx
    .selectFrom('gateway_call')
    .innerJoin('approval', 'approval.run_id', 'gateway_call.run_id')
    .select('gateway_call.run_id')
    .where('client_id', '=', client_id)
    .where('request_hash', '=', request_hash)
    .where('approval.status', '=', 'pending')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.run_id
}

/** @throws {TooManyCalls} */
async function checkLimits(trx: Trx, client_id: string, now: number): Promise<void> {
  const { count: recent } = await trx
    .selectFrom('gateway_call')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('client_id', '=', client_id)
    .where('created_at', '>', now - MINUTE)
    .executeTakeFirstOrThrow()
  if (Number(recent) >= A_MINUTE)
    throw new TooManyCalls(`Nothing has run: this client may begin ${A_MINUTE} calls a minute. Try again in a minute.`)
  const { count: open } = await trx
    .selectFrom('gateway_call')
    .innerJoin('run', 'run.run_id', 'gateway_call.run_id')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('client_id', '=', client_id)
    .where('run.ended_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (Number(open) >= AT_ONCE)
    throw new TooManyCalls(
      `Nothing has run: ${AT_ONCE} calls of this client have not ended, because they run or wait for a decision. Wait for one of them.`,
    )
}

/** Days and months are in UTC, as of all quotas. @throws {TooManyCalls} */
async function checkQuota(
  trx: Trx,
  user_id: string,
  quota: Awaited<ReturnType<GatewayContext['quota']>>,
  now: number,
): Promise<void> {
  const today = dayOf(now)
  // The month comes first: it is the longer wait.
  for (const [span, from] of [
    ['month', `${today.slice(0, 7)}-01`],
    ['day', today],
  ] as const) {
    const limit = quota[span]
    if (limit === null) continue
    const { count } = await trx
      .selectFrom('gateway_call')
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .where('user_id', '=', user_id)
      .where('created_at', '>=', Date.parse(from))
      .executeTakeFirstOrThrow()
    if (Number(count) >= limit)
      throw new TooManyCalls(
        `Nothing has run: the person's ${limit} calls for this ${span} (UTC) are used up. An administrator can change that.`,
      )
  }
}

async function clientName({ db }: Pick<GatewayContext, 'db'>, client_id: string): Promise<string> {
  const row = await db.read
    .selectFrom('access_token')
    .select('name')
    .where('token_id', '=', client_id)
    .executeTakeFirst()
  return row?.name ?? ''
}

/** Forgets calls that no quota counts any more. */
export async function forgetOldCalls({ db }: Pick<GatewayContext, 'db'>, now = Date.now()): Promise<void> {
  await db.write
    .deleteFrom('gateway_call')
    .where('created_at', '<', now - KEEP)
    .execute()
}
