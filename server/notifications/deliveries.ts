import type { Delivery } from '../../contract/notification-values.ts'
import type { Database, Reader } from '../db/database.ts'
import { iso, isoOrNull } from '../kernel/time.ts'

/** What was sent, waits, or could not be delivered, newest first. */
export async function listDeliveries(
  reader: Reader,
  { status, limit, cursor }: { status?: Delivery['status'] | undefined; limit: number; cursor?: string | undefined },
): Promise<{ items: Delivery[]; next_cursor: string | null }> {
  let select = reader
    .selectFrom('outbox')
    .leftJoin('channel', 'channel.channel_id', 'outbox.channel_id')
    .leftJoin('user', 'user.user_id', 'channel.user_id')
    .select(['outbox_id', 'event', 'ref_id', 'channel.name', 'user.username', 'outbox.status', 'attempts'])
    .select(['outbox.problem', 'due_at', 'done_at'])
    .orderBy('outbox_id', 'desc')
    .limit(limit + 1)
  if (status !== undefined) select = select.where('outbox.status', '=', status)
  if (cursor !== undefined) select = select.where('outbox_id', '<', cursor)
  const rows = await select.execute()
  const kept = rows.slice(0, limit)
  return {
    items: kept.map(({ name, due_at, done_at, ...row }) => ({
      ...row,
      channel: name,
      due_at: iso(due_at),
      done_at: isoOrNull(done_at),
    })),
    next_cursor: rows.length > limit ? kept.at(-1)!.outbox_id : null,
  }
}

/** A channel whose newest message did not arrive; null when all is well. */
export async function failingChannel({ read }: Pick<Database, 'read'>): Promise<string | null> {
  const row = await read
    .selectFrom('channel')
    .select('name')
    .where('user_id', 'is', null)
    .where('enabled', '=', 1)
    .where('problem', 'is not', null)
    .orderBy('problem_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.name ?? null
}
