import { z } from 'zod'
import { Id, Timestamp } from './values.ts'

/** Maximum bytes of one event as JSON; large things are sent by id. */
export const ACTIVITY_EVENT_LIMIT = 8 * 1024

export const ACTIVITY_TYPES = [
  'run.started',
  'run.delta',
  'run.waiting',
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.interrupted',
  'tool.started',
  'tool.progress',
  'tool.finished',
  'approval.requested',
  'approval.decided',
  'approval.voted',
  'conversation.updated',
  'conversation.deleted',
  'handover.changed',
  'folder.changed',
  'file.created',
  'module.changed',
  'command.changed',
  'routine.changed',
  'procedure.changed',
  'elevation.changed',
  'host.changed',
  'notice.changed',
  'watch.changed',
  'journal.lines',
  'journal.ended',
] as const
/**
 * What happened. Fields by type, besides the common ones: `run.started` {message_id (the person's), answer_id} ·
 * `run.delta` {message_id, index, part: text|reasoning, from, text} (`from` counts UTF-16 units of the part before this
 * text) · `run.failed` {code} · `tool.*` {message_id, tool_call_id, module, tool, status?, progress?} · `approval.*`
 * {approval_id, status, others?: true (somebody else’s card, which the reader may vote on)} · `conversation.updated` {title?, pinned?, folder_id?, branch?: true (another branch is shown),
 * queued?: true (its queued messages have changed), untrusted?: true (it now holds what others may have written),
 * unlisted?: true (a call of an MCP client, which no list has), handed_over?: true (it is only read now), message_id? (of an answer that a notice was added to)}
 · `handover.changed` {handover_id, status}, to both people, without the conversation
 * · `file.created` {file_id} · `command.changed` {command_id? or folder_id?: which quick command or folder; neither:
 * many of them} · `routine.changed` {routine_id: which routine; also when something of its history has changed} · `elevation.changed` {}: a request for a role, or the role that somebody has for a while; the reader’s, or one that they may vote on
 * many of them} · `procedure.changed` {procedure_id}: one that the reader may see
 * · `elevation.changed` {}: a request for a role, or the role that somebody has for a while; the reader’s, or one that they may vote on
 * · `host.changed` {host_id?: which machine; without it, several}, to whoever sees machines
 * · `notice.changed` {notice_id?, event?}: a new notice with its `event`, or without it some that were read
 * · `watch.changed` {watch_id}: it was changed, or what it sees is another matter now; to its owner, or to administrators
 * · `journal.*`: a log that the reader follows (JournalLines, JournalEnded).
 */
export const ActivityEvent = z.looseObject({
  id: z.int(),
  type: z.enum(ACTIVITY_TYPES),
  conversation_id: Id.optional(),
  run_id: Id.optional(),
  at: Timestamp,
})
export type ActivityEvent = z.infer<typeof ActivityEvent>
export const ActivitySnapshot = z.strictObject({
  events: z.array(ActivityEvent),
  active: z.int(),
  cancellable: z.boolean(),
  /** Unix milliseconds. */
  server_time: z.int(),
  /** Id of the caller's newest event at this moment, as taken by `?after=`. */
  cursor: z.int(),
})
export type ActivitySnapshot = z.infer<typeof ActivitySnapshot>
