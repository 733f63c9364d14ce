import { z } from 'zod'
import { Approval, ApprovalStatus } from './messages.ts'
import { json, route } from './route.ts'
import { Cursor, Id, limit, NextCursor, Ok } from './values.ts'

/** Somebody else's card, for whoever may vote on it: without the conversation. */
export const OthersApproval = Approval.omit({ conversation_id: true, run_id: true }).extend({
  asked_by: z.strictObject({ username: z.string(), name: z.string(), role: z.string() }),
  /** What the caller has said; null while nothing. */
  my_vote: z.enum(['approve', 'deny']).nullable(),
})
export type OthersApproval = z.infer<typeof OthersApproval>

/** Cards that others than the person who asked decide. */
export const votes = {
  listOthersApprovals: route({
    method: 'GET',
    path: '/api/approvals',
    summary: 'Cards of others that I may vote on, and those that I have voted on, newest first',
    access: 'session',
    sessionOnly: true,
    query: z.object({
      for: z.literal('others').default('others'),
      status: ApprovalStatus.optional(),
      limit: limit(50),
      cursor: Cursor,
    }),
    response: json(
      z.strictObject({
        items: z.array(OthersApproval),
        next_cursor: NextCursor,
        /** How many requests for a role for a while (`/api/elevations`) wait for the caller's vote. */
        elevations: z.int(),
        /** How many conversations (`/api/chat/handovers`) are offered to the caller. */
        handovers: z.int(),
      }),
    ),
    errors: [],
  }),
  voteOnApproval: route({
    method: 'POST',
    path: '/api/approvals/{approval_id}/votes',
    summary:
      'Agree to somebody else’s call, or deny it. It runs once everybody who is needed has agreed; one denial denies it',
    access: 'session',
    sessionOnly: true,
    params: z.object({ approval_id: Id }),
    body: json(z.strictObject({ decision: z.enum(['approve', 'deny']), reason: z.string().max(1000).optional() })),
    response: json(z.strictObject({ ok: Ok, approval: OthersApproval })),
    errors: ['not_found', 'forbidden', 'already_decided', 'approval_expired', 'approval_closed'],
  }),
}
