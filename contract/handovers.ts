import { z } from 'zod'
import { HANDOVER_NOTE_LIMIT } from './handover-limits.ts'
import { json, optionalJson, route } from './route.ts'
import { Cursor, Id, limit, NextCursor, Ok, Timestamp } from './values.ts'

/** `expired`: nobody has answered within HANDOVER_DAYS. */
export const HandoverStatus = z.enum(['offered', 'accepted', 'declined', 'withdrawn', 'expired'])

/** A conversation that one person offers to another, as one of the two sees it. */
export const Handover = z.strictObject({
  handover_id: Id,
  direction: z.enum(['to_me', 'by_me']),
  status: HandoverStatus,
  from: z.strictObject({ username: z.string(), name: z.string() }),
  /** `name` is the username until the offer is accepted. */
  to: z.strictObject({ username: z.string(), name: z.string() }),
  /**
   * Title, and how many messages there are, in all branches. To the person it is offered to only while it can be accepted,
   * and of their copy afterwards; else null.
   */
  title: z.string().nullable(),
  messages: z.int().nullable(),
  note: z.string().nullable(),
  /** The reader's own: the original, or the copy once accepted; null while there is none. */
  conversation_id: Id.nullable(),
  created_at: Timestamp,
  expires_at: Timestamp,
  /** When it was accepted, declined or withdrawn. */
  closed_at: Timestamp.nullable(),
})
export type Handover = z.infer<typeof Handover>

const HandoverParams = z.object({ handover_id: Id })
const Answered = json(z.strictObject({ ok: Ok, handover: Handover }))

/** Handing a conversation over to another person, who gets a copy. */
export const handovers = {
  offerHandover: route({
    method: 'POST',
    path: '/api/chat/conversations/{conversation_id}/handover',
    summary:
      'Offer a conversation to another person by their exact username. Accepted, they get a copy; mine stays readable',
    access: 'session',
    sessionOnly: true,
    params: z.object({ conversation_id: Id }),
    body: json(
      z.strictObject({
        username: z.string().trim().min(1).max(100),
        note: z.string().trim().max(HANDOVER_NOTE_LIMIT).optional(),
      }),
    ),
    response: Answered,
    errors: ['not_found', 'handover_refused', 'handover_open', 'handed_over'],
    rateLimit: 30,
    sharedLimit: true,
  }),
  listHandovers: route({
    method: 'GET',
    path: '/api/chat/handovers',
    summary: 'Conversations offered to me and by me, newest first',
    access: 'session',
    sessionOnly: true,
    query: z.object({ status: HandoverStatus.optional(), limit: limit(50), cursor: Cursor }),
    response: json(z.strictObject({ items: z.array(Handover), next_cursor: NextCursor })),
    errors: [],
  }),
  acceptHandover: route({
    method: 'POST',
    path: '/api/chat/handovers/{handover_id}/accept',
    summary: 'Take a conversation over: a copy of it, with its files, becomes mine',
    access: 'session',
    sessionOnly: true,
    params: HandoverParams,
    body: optionalJson(z.strictObject({})),
    response: Answered,
    errors: ['not_found', 'handover_closed', 'run_active', 'import_running', 'payload_too_large', 'quota_exceeded'],
    rateLimit: 60,
  }),
  declineHandover: route({
    method: 'POST',
    path: '/api/chat/handovers/{handover_id}/decline',
    summary: 'Do not take a conversation over',
    access: 'session',
    sessionOnly: true,
    params: HandoverParams,
    body: optionalJson(z.strictObject({})),
    response: Answered,
    errors: ['not_found', 'handover_closed'],
  }),
  withdrawHandover: route({
    method: 'POST',
    path: '/api/chat/handovers/{handover_id}/withdraw',
    summary: 'Take an offer back that nobody has answered',
    access: 'session',
    sessionOnly: true,
    params: HandoverParams,
    body: optionalJson(z.strictObject({})),
    response: Answered,
    errors: ['not_found', 'handover_closed'],
  }),
}
