import type { ToolCallTable } from '../../db/rows/chat-tables.ts'
import type { ToolCallHostTable } from '../../db/rows/host-tables.ts'
import { change, insertRows } from '../../db/statement.ts'
import type { Trx } from '../../db/database.ts'
import { cut, storable, visible } from '../../kernel/text/plain-text.ts'
import type { CallHost } from '../ports/hosts.ts'
import type { Tool, ToolResult } from '../ports/tools.ts'
import type { Step } from '../run/step.ts'
import type { CallTargets } from '../targets/call-targets.ts'
import { fanOut, type HostEnd } from '../targets/fan-out.ts'
import { boundedResult, mergeResults } from '../targets/merge-results.ts'

/** Characters of what a machine said that its row keeps. */
const TEXT = 2000

/** A call that may run, and where. */
interface Ran {
  readonly tool: Tool
  /** Null for one that is about no machine. */
  readonly targets: CallTargets | null
}

/** A call that has run: its result, and how it ended on each machine that it was about. */
interface RanOn {
  readonly result: ToolResult
  /** Empty for a call that is about no machine. */
  readonly ends: readonly HostEnd[]
}

/**
 * Runs a call on its machines. One that is named alone answers as it does; several answer as one. Which of them have been
 * begun is stored before, where something may change. @throws {LostLease}
 */
export async function runOnHosts(
  step: Step,
  { tool_call_id }: ToolCallTable,
  ran: Ran,
  call: (host: CallHost | null) => Promise<ToolResult>,
): Promise<RanOn> {
  const { tool, targets } = ran
  if (targets === null) return { result: await call(null), ends: [] }
  const op_id = tool.operation === true ? step.ports.operations.idOf(tool_call_id) : null
  const { hosts, together } = targets
  const reads = tool.effect === 'read'
  const alone = hosts.length === 1
  const ends = await fanOut(
    {
      hosts,
      reads,
      call: async (host) => {
        const result = await call(host)
        return alone ? result : boundedResult(result, hosts.length)
      },
      onBegin: async (host) => {
        if (isKept(ran)) await step.store.write(step, (trx) => keepBegin(trx, { tool_call_id, op_id }, host))
      },
      onEnd: async (end) => {
        if (isKept(ran)) await step.store.write(step, (trx) => keepEnd(trx, tool_call_id, end))
      },
    },
    step.signal,
  )
  const result = together ? mergeResults(ends, reads, step.policy.language) : ends[0]!.result
  // Stopped before it began.
  return { result: result ?? { status: 'cancelled', text: '', tables: [], files: [] }, ends }
}

/** Of calls about this machine alone the row of the call says all, unless there is something to be asked about later. */
function isKept({ tool, targets }: Ran): boolean {
  return targets !== null && (targets.together || !targets.hosts[0]!.local || tool.operation === true)
}

/** What is not stored yet of how the call ended on its machines; in the transaction that ends it. */
export async function keepEnds(trx: Trx, tool_call_id: string, ran: Ran, ends: readonly HostEnd[]): Promise<void> {
  if (!isKept(ran)) return
  const rest = ends.filter(({ status }) => ran.tool.effect === 'read' || status === 'skipped')
  const rows = rest.map(({ host: { host_id, name }, status, started_at, ended_at, result }) => ({
    tool_call_id,
    host_id,
    name,
    op_id: null,
    status,
    started_at,
    ended_at,
    text: result === null ? null : kept(result),
  }))
  if (rows.length > 0) await insertRows(trx, 'tool_call_host', rows)
}

async function keepBegin(
  trx: Trx,
  call: Pick<ToolCallHostTable, 'tool_call_id' | 'op_id'>,
  { host_id, name }: CallHost,
): Promise<void> {
  const row = { ...call, host_id, name, status: 'running' as const, ended_at: null, text: null }
  await insertRows(trx, 'tool_call_host', [{ ...row, started_at: Date.now() }])
}

async function keepEnd(trx: Trx, tool_call_id: string, { host: { host_id }, status, result }: HostEnd): Promise<void> {
  await END.run(trx, { tool_call_id, host_id, status, now: Date.now(), text: result === null ? null : kept(result) })
}

function kept({ text }: ToolResult): string {
  return storable(cut(visible(cut(text, TEXT)), TEXT))
}

const END = change(
  (db, is: { tool_call_id: string; host_id: string; status: HostEnd['status']; now: number; text: string | null }) =>
    db
      .updateTable('tool_call_host')
      .set({ status: is.status, ended_at: is.now, text: is.text })
      .where('tool_call_id', '=', is.tool_call_id)
      .where('host_id', '=', is.host_id),
)
