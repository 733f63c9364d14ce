import type { Reader } from '../db/database.ts'
import type { ClientRequest, GatewayContext } from './ports.ts'

/** Makes up for a missed wake-up, in milliseconds. */
const LOOK = 1000

export interface HeldCall {
  readonly status: 'done' | 'failed' | 'cancelled' | 'interrupted' | 'running' | 'waiting'
  /** The card, or the question of a call that runs, which a person is to decide; null without one. */
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
  let look = Promise.withResolvers<void>()
  const wake = () => look.resolve()
  const off = db.onWake(caller.user_id, wake)
  over.addEventListener('abort', wake)
  try {
    for (;;) {
      look = Promise.withResolvers<void>()
      const now = await readCall(db.read, run_id)
      const open = now.status === 'running' || now.status === 'waiting'
      if (!open || over.aborted || Date.now() >= until) return now
      const timer = setTimeout(wake, Math.max(0, Math.min(LOOK, until - Date.now())))
      await look.promise
      clearTimeout(timer)
    }
  } finally {
    over.removeEventListener('abort', wake)
    off()
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
    .orderBy('approval.approval_id')
    .limit(1)
    .executeTakeFirst()
  // It was deleted meanwhile.
  if (row === undefined) return { status: 'cancelled', approval_id: null }
  const { status, approval_id } = row
  if (status === 'waiting_approval') return { status: 'waiting', approval_id }
  if (status === 'thinking' || status === 'acting') return { status: 'running', approval_id }
  return { status, approval_id: null }
}
