import { newIdempotencyKey } from '../../chat/composer/idempotency-key.ts'
import { call } from '../../client/api.ts'
import { ApiError } from '../../client/api-error.ts'
import { activeRunsQuery } from '../../client/queries.ts'
import { queryClient } from '../../client/query-client.ts'
import { addRun } from '../../client/run-cache.ts'
import { formatDate } from '../../text/format.ts'
import type { Host } from '../hosts-query.ts'
import { callLine, type ToolArguments } from './look-query.ts'
import type { Operation } from './operation.ts'

/** A call that was started here. */
export interface StartedCall {
  readonly title: string
  readonly conversation_id: string
  readonly run_id: string
}

/** By machine: the conversation of this day in which its operations are. */
const conversations = new Map<string, { readonly day: string; readonly conversation_id: string }>()

/**
 * Sends an operation as the message that a person would type. The operations of a machine on one day are one conversation,
 * which is named after them; one that still waits there keeps its own, so that two can wait at the same time.
 */
export async function startCall(host: Host, operation: Operation, args: ToolArguments): Promise<StartedCall> {
  const day = formatDate(Date.now())
  const known = conversations.get(host.host_id)
  const into = known?.day === day && !(await isBusy(known.conversation_id)) ? known.conversation_id : null
  const message = callLine(host, operation.tool, args)
  const sent = await send(message, into).catch((error: unknown) => {
    // It was deleted meanwhile, handed over, or something else runs in it.
    if (into === null || !(error instanceof ApiError) || ![404, 409].includes(error.status)) throw error
    return send(message, null)
  })
  const { conversation_id, run_id } = sent
  if (conversation_id !== into) {
    conversations.set(host.host_id, { day, conversation_id })
    // A name is a help, not a condition.
    await call('PATCH /api/chat/conversations/{conversation_id}', {
      params: { conversation_id },
      body: { title: `${host.name}, ${day}` },
    }).catch(() => undefined)
  }
  addRun(conversation_id, run_id)
  return { title: operation.title, conversation_id, run_id }
}

async function isBusy(conversation_id: string): Promise<boolean> {
  const { items } = await queryClient.fetchQuery({ ...activeRunsQuery, staleTime: 0 })
  return items.some((run) => run.conversation_id === conversation_id)
}

async function send(message: string, conversation_id: string | null) {
  const accepted = await call('POST /api/chat', {
    headers: { prefer: 'respond-async', 'idempotency-key': newIdempotencyKey() },
    body: { message, conversation_id },
  })
  return { conversation_id: accepted.conversation_id, run_id: 'run_id' in accepted ? accepted.run_id : '' }
}
