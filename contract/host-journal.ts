import { z } from 'zod'
import { LOG_PRIORITIES } from './journal-values.ts'
import { json, route } from './route.ts'
import { Id, Ok, Timestamp } from './values.ts'

/** A line of a log. Written by programs and strangers: text, and nothing else. */
export const LogLine = z.strictObject({
  /** When; of a file null: the line says it itself. */
  at: Timestamp.nullable(),
  priority: z.enum(LOG_PRIORITIES).nullable(),
  /** Program or unit that wrote it; empty for a file. */
  source: z.string(),
  text: z.string(),
})
export type LogLine = z.infer<typeof LogLine>

/**
 * Why a follower has ended. `stopped`: somebody wanted it to; `left`: the page has gone, or may not follow any more;
 * `time`, `size`: the limits; `missing`: there is neither a journal nor a log file that the account may read; `lost`: the
 * connection; `failed`: the program that follows. `text` is what the machine said.
 */
export const JournalEnd = z.enum(['stopped', 'left', 'time', 'size', 'missing', 'lost', 'failed'])
export type JournalEnd = z.infer<typeof JournalEnd>

/** Fields of the event `journal.lines`. */
export const JournalLines = z.looseObject({
  follow_key: z.string(),
  /** The file that is followed where there is no journal. */
  path: z.string().nullable(),
  /** Lines before these that were left out. */
  left_out: z.int(),
  lines: z.array(LogLine),
})
export type JournalLines = z.infer<typeof JournalLines>
/** Fields of the event `journal.ended`. */
export const JournalEnded = z.looseObject({ follow_key: z.string(), reason: JournalEnd, text: z.string() })
export type JournalEnded = z.infer<typeof JournalEnded>

/** Names one following to the page that began it, and to nobody else. */
const FollowKey = z.string().regex(/^[0-9a-f]{32}$/, '32 hexadecimal digits')
const params = z.object({ host_id: Id })
const body = json(z.strictObject({ follow_key: FollowKey }))

/** Following the log of a machine: its lines come as events `journal.lines` of the activity stream. */
export const hostJournal = {
  followJournal: route({
    method: 'POST',
    path: '/api/hosts/{host_id}/journal',
    summary: 'Follow the log of a machine that I may read with system.logs: newest lines first, then as they come',
    access: 'session',
    permissions: ['codex.use'],
    sessionOnly: true,
    params,
    body: json(
      z.strictObject({
        /** Made by the page, new for each time: 32 hexadecimal digits. */
        follow_key: FollowKey,
        /** Journal only: such as nginx.service. */
        unit: z
          .string()
          .regex(/^[\w@.:\\*-]{1,200}$/)
          .refine((unit) => !unit.startsWith('-'))
          .optional(),
        /** Journal only: this priority and more urgent ones. */
        priority: z.enum(LOG_PRIORITIES).optional(),
        /** Only lines with this text, upper and lower case alike. */
        contains: z.string().min(1).max(200).optional(),
      }),
    ),
    response: json(z.strictObject({ ok: Ok, follow_key: z.string(), ends_at: Timestamp })),
    errors: ['not_found', 'approval_required', 'host_disabled', 'too_many_followers'],
  }),
  keepJournal: route({
    method: 'POST',
    path: '/api/hosts/{host_id}/journal/keep',
    summary: 'Say that the page is still there; without it, following ends after 30 seconds',
    access: 'session',
    permissions: ['codex.use'],
    sessionOnly: true,
    params,
    body,
    response: json(z.strictObject({ ok: Ok })),
    errors: ['not_found', 'approval_required', 'host_disabled'],
  }),
  stopJournal: route({
    method: 'POST',
    path: '/api/hosts/{host_id}/journal/stop',
    summary: 'Stop following, whatever process does it; done as well if nothing was followed',
    access: 'session',
    sessionOnly: true,
    params,
    body,
    response: json(z.strictObject({ ok: Ok })),
    errors: ['not_found'],
  }),
}
