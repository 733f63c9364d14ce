import { z } from 'zod'
import { Table, ToolEffect } from './messages.ts'
import { json, route } from './route.ts'
import { Id } from './values.ts'

const HostParams = z.object({ host_id: Id })

/** A tool of the machine, and what the caller's rules say about it there. */
export const HostTool = z.strictObject({
  /** Its name without the module. */
  tool: z.string(),
  title: z.string(),
  description: z.string(),
  effect: ToolEffect,
  /** `deny`: whatever its arguments. Where it depends on them, `ask`. */
  policy: z.enum(['allow', 'ask', 'deny']),
  /** Why, as a sentence. */
  reason: z.string(),
})
export type HostTool = z.infer<typeof HostTool>

/** What a machine says of itself, for its page: the same tools as in conversations, without one. */
export const hostWork = {
  lookAtHost: route({
    method: 'POST',
    path: '/api/hosts/{host_id}/look',
    summary:
      'Run a reading tool on a machine that I may use, without a conversation. It is judged and recorded as a call would be; what a rule asks for needs a conversation',
    access: 'session',
    permissions: ['codex.use'],
    params: HostParams,
    body: json(
      z.strictObject({
        /** Its name without the module: `services`. */
        tool: z.string().max(100),
        arguments: z.record(z.string(), z.unknown()).default({}),
      }),
    ),
    response: json(
      z.strictObject({
        /** `failed`: the machine, or the tool, says no; `text` says why. */
        status: z.enum(['done', 'failed']),
        text: z.string(),
        tables: z.array(Table),
      }),
    ),
    errors: ['not_found', 'approval_required', 'host_disabled', 'looks_busy'],
  }),
  hostTools: route({
    method: 'GET',
    path: '/api/hosts/{host_id}/tools',
    summary:
      'The tools of a machine that I may use, with what my rules say about each there; none while their module is off',
    access: 'session',
    permissions: ['codex.use'],
    params: HostParams,
    response: json(z.strictObject({ items: z.array(HostTool) })),
    errors: ['not_found', 'approval_required'],
  }),
}
