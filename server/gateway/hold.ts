import type { Reader } from '../db/database.ts'
import type { ClientRequest, GatewayContext } from './ports.ts'

/** Makes up for a missed wake-up, in milliseconds. */
const LOOK = 1000

export interface HeldCall {
  readonly status: 'done' | 'failed' | 'cancelled' | 'interrupted' | 'running' | 'waiting'
  /** The card that a person is to decide; null unless it waits for one. */
  readonly approval_id: string | null
}

/** Waits for the end of a call, as long as an answer may; it may wait for a person until then. */
export async function holdCall(
  { db, hold, closing }: Pick<GatewayContext, 'db' | 'hold' | 'closing'>,
  { caller, signal }: Pick<ClientRequest, 'caller' | 'signal'>,
  run_id: string,
): Promise<HeldCall> {
  const until = Date.now() + hold
  const over = AbortSignal.any([signal, closing])
  for (;;) {
    const look = Promise.withResolvers<void>()
    const off = db.onWake(caller.user_id, look.resolve)
    over.addEventListener('abort', () => look.resolve(), { once: true })
    const timer = setTimeout(look.resolve, Math.max(0, Math.min(LOOK, until - Date.now())))
    try {
      const now = await readCall(db.read, run_id)
      const open = now.status === 'running' || now.status === 'waiting'
      if (!open || over.aborted || Date.now() >= until) return now
      await look.promise
    } finally {
      clearTimeout(timer)
      off()
    }
  }
}

async function readCall(reader: Reader, run_id: string): Promise<HeldCall> {
  const row = await reader
    .selectFrom('run')
    .leftJoin('approval', (join) =>
      join.onRef('approval.run_id', '=', 'run.run_id').on('approval.status', '=', 'pending'),
    )
    .select(['run.status', 'approval.approval_id'])
    .where('run.run_id', '=', run_id)
    .limit(1)
    .executeTakeFirst()
  // It was deleted meanwhile.
  if (row === undefined) return { status: 'cancelled', approval_id: null }
  const { status, approval_id } = row
  if (status !== 'thinking' && status !== 'acting' && status !== 'waiting_approval')
    return { status, approval_id: null }
  return { status: approval_id === null ? 'running' : 'waiting', approval_id }
}
