import type { Attachments } from './attachments.ts'
import type { AuditLog } from './audit-log.ts'
import type { HostList, Operations } from './hosts.ts'
import type { Model } from './model.ts'
import type { Policy } from './policy.ts'
import type { Procedures } from './procedures.ts'
import type { Secrets } from './secrets.ts'
import type { Senders } from './senders.ts'
import type { Tools } from './tools.ts'
import type { Usage } from './usage.ts'

/** Everything outside chat that driving a run needs; `app` fills it. */
export interface RunPorts {
  readonly model: Model
  readonly tools: Tools
  /**
   * The command a call still had running when the service was killed, and that was terminated for it; null if there was
   * none.
   */
  readonly endedCommand: (tool_call_id: string) => { readonly name: string; readonly pid: number } | null
  readonly secrets: Secrets
  readonly policy: Policy
  readonly procedures: Procedures
  readonly hosts: HostList
  readonly operations: Operations
  readonly senders: Senders
  readonly attachments: Attachments
  readonly audit: AuditLog
  readonly usage: Usage
}
