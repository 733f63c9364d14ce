import { z } from 'zod'
import { json, route } from './route.ts'
import { Cursor, Id, limit, NextCursor, Ok, Timestamp } from './values.ts'

/**
 * `undoable`: it can be taken back. `undone`: it was. `superseded`: the same thing was changed again since. `final`:
 * nothing takes it back.
 */
const ChangeState = z.enum(['undoable', 'undone', 'superseded', 'final'])

export const Change = z.strictObject({
  change_id: Id,
  at: Timestamp,
  /** Whose call it was. */
  user: z.strictObject({ user_id: Id, username: z.string(), display_name: z.string() }),
  /** The machine: `local` is the one that Reeve runs on. */
  host: z.string(),
  module: z.string(),
  tool: z.string(),
  title: z.string(),
  tool_call_id: Id,
  /** Null where it is not the caller's. It may have been deleted since. */
  conversation_id: Id.nullable(),
  /** What was changed. */
  name: z.string(),
  /** SHA-256; null where there was nothing before, or is nothing after. */
  before_hash: z.string().nullable(),
  after_hash: z.string().nullable(),
  state: ChangeState,
  /** The caller may take it back now: it is theirs, and undoable. */
  may_undo: z.boolean(),
  /** It took another change back. */
  is_undo: z.boolean(),
})
export type Change = z.infer<typeof Change>

/** What calls have changed: everybody's own, and all of it for whoever may read the audit log. */
export const changes = {
  listChanges: route({
    method: 'GET',
    path: '/api/changes',
    summary: 'What calls have changed, newest first: my own, or all for whoever may read the audit log',
    access: 'session',
    tokenNeeds: 'conversations.read',
    query: z.object({
      user_id: Id.optional(),
      host: z.string().max(100).optional(),
      /** `<module>.<tool>`, or a module for all of its tools. */
      tool: z.string().max(200).optional(),
      from: Timestamp.optional(),
      to: Timestamp.optional(),
      limit: limit(50),
      cursor: Cursor,
    }),
    response: json(
      z.strictObject({
        items: z.array(Change),
        next_cursor: NextCursor,
        /** The list has everybody's. */
        all: z.boolean(),
        /** Days for which changes are kept. */
        keep_days: z.int(),
      }),
    ),
    errors: [],
  }),
  readChange: route({
    method: 'GET',
    path: '/api/changes/{change_id}',
    summary: 'One change, with its diff',
    access: 'session',
    tokenNeeds: 'conversations.read',
    params: z.object({ change_id: Id }),
    response: json(
      z.strictObject({
        change: Change,
        /** Unified, as untrusted text; null where there is none to show, and for everybody but its user. */
        diff: z.string().nullable(),
        /** It is somebody else's: what it holds is theirs to see. */
        withheld: z.boolean(),
      }),
    ),
    errors: ['not_found'],
  }),
  undoChange: route({
    method: 'POST',
    path: '/api/changes/{change_id}/undo',
    summary: 'Prepare the call that takes a change back; it goes the way of every call, with a card where a rule asks',
    access: 'session',
    sessionOnly: true,
    permissions: ['codex.use', 'files.read'],
    onAsk: 'card',
    params: z.object({ change_id: Id }),
    response: json(z.strictObject({ ok: Ok, conversation_id: Id, run_id: Id })),
    errors: ['not_found', 'change_not_undoable', 'handed_over', 'run_active', 'quota_used_up'],
  }),
}
