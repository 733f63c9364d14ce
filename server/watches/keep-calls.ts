import type { AuditLog } from '../chat/ports/audit-log.ts'
import type { Trx } from '../db/database.ts'
import { cut } from '../kernel/text/plain-text.ts'
import type { CalledTool } from './seen.ts'

/** Characters of the arguments that the audit log keeps. */
const ARGUMENTS = 2000

/** Keeps calls that only read as the role of the owner says: not at all, counted by hour, or each with its arguments. */
export async function keepCalls(
  audit: AuditLog,
  trx: Trx,
  { watch_id, name }: { readonly watch_id: string; readonly name: string },
  called: readonly CalledTool[],
): Promise<void> {
  for (const { actor, tool_call_id, tool, failed, host, arguments: given } of called) {
    if (actor.audit_reads === 'count') await audit.count(trx, { actor, action: 'tool.counted', target: tool, failed })
    if (actor.audit_reads === 'full')
      await audit.record(trx, {
        actor,
        action: 'tool.called',
        target: tool_call_id,
        outcome: failed ? 'failed' : 'ok',
        details: { tool, effect: 'read', host, arguments: cut(given, ARGUMENTS), watch_id, watch: name },
      })
  }
}
