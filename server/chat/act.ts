import type { Trx } from '../db/database.ts'
import type { ToolCallTable } from '../db/chat-tables.ts'
import { cut } from '../kernel/text.ts'
import type { NewEvent } from './activity.ts'
import { askForCall, type Bound, boundTo, isGranted, sameBound } from './approval-cards.ts'
import { askPerson } from './ask-person.ts'
import { keepFiles } from './keep-files.ts'
import { addParts } from './parts.ts'
import type { UserPolicy } from './policy.ts'
import type { RunPorts } from './run-ports.ts'
import type { StoredRun } from './run-store.ts'
import type { Tool, ToolAnswer, ToolQuestion, ToolResult } from './tools.ts'

/** Read-only calls that run at once; what changes something runs alone, in the order asked for. */
const AT_ONCE = 8

/**
 * Runs the calls that may run now. Everything that was decided is checked once more first: whoever was allowed then may
 * not be now, and what was approved may not be what would run.
 */
export async function act(
  ports: RunPorts,
  run: StoredRun,
  epoch: number,
  policy: UserPolicy,
  signal: AbortSignal,
): Promise<void> {
  const ready: { call: ToolCallTable; tool: Tool }[] = []
  for (const call of run.calls.filter((candidate) => candidate.status === 'pending')) {
    const tool = await recheck(ports, run, epoch, policy, call)
    if (tool === 'asks') return // A new card is up: the run waits, and nothing of this step has started.
    if (tool) ready.push({ call, tool })
  }
  const reads = ready.filter(({ tool }) => tool.effect === 'read')
  const others = ready.filter(({ tool }) => tool.effect !== 'read')
  const next = reads.values()
  const readers = Array.from({ length: Math.min(AT_ONCE, reads.length) }, async () => {
    for (const { call, tool } of next) await perform(ports, run, epoch, policy, call, tool, signal)
  })
  const writer = (async () => {
    for (const { call, tool } of others) {
      if (signal.aborted) return
      await perform(ports, run, epoch, policy, call, tool, signal)
    }
  })()
  // All of them come to an end before an error ends the run: no call is left behind unwatched.
  const outcomes = await Promise.allSettled([...readers, writer])
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  signal.throwIfAborted()
}

/** The tool to run, null when the call was refused, `asks` when a new card went up. */
async function recheck(
  ports: RunPorts,
  run: StoredRun,
  epoch: number,
  policy: UserPolicy,
  call: ToolCallTable,
): Promise<Tool | 'asks' | null> {
  const { db, store } = ports
  const refuse = async (status: 'failed' | 'denied', result_text: string): Promise<null> => {
    const event = { type: 'call_ended' as const, tool_call_id: call.tool_call_id, status }
    await db.transaction((trx) => store.apply(trx, run.row.run_id, { event, epoch, result_text }))
    return null
  }
  const tool = ports.tools.find(call.module, call.tool)
  if (!tool) return refuse('failed', 'The tool is no longer there.')
  const verdict = policy.tool(tool)
  if (verdict.effect === 'deny') return refuse('denied', verdict.reason)
  if (verdict.effect === 'allow') return tool

  const input = JSON.parse(call.arguments) as Record<string, unknown>
  const bound = boundTo(tool, input, verdict)
  return db.transaction(async (trx) => {
    await db.dialect.serialize(trx, `run:${run.row.run_id}`)
    if (await stillApproved(trx, run, call, tool, bound)) return tool
    const event = { type: 'approval_needed' as const, tool_call_id: call.tool_call_id }
    await store.apply(trx, run.row.run_id, { event, epoch }, async () => {
      const superseded = await supersede(trx, call)
      const { arguments_hash, definition_hash, module_version, basis } = bound
      await trx
        .updateTable('tool_call')
        .set({ arguments_hash, definition_hash, module_version, basis, effect: tool.effect, title: tool.title })
        .where('tool_call_id', '=', call.tool_call_id)
        .execute()
      const card = await askForCall(
        trx,
        run.row,
        { ...call, title: tool.title, effect: tool.effect },
        {
          bound,
          summary: tool.summarize(input),
          reason: superseded.length > 0 ? `Something changed since it was approved. ${verdict.reason}` : verdict.reason,
          life: ports.limits.approvalLife,
        },
      )
      return [...superseded, card]
    })
    return 'asks'
  })
}

async function stillApproved(
  trx: Trx,
  run: StoredRun,
  call: ToolCallTable,
  tool: Tool,
  bound: Bound,
): Promise<boolean> {
  const approval = await trx
    .selectFrom('approval')
    .selectAll()
    .where('tool_call_id', '=', call.tool_call_id)
    .where('kind', '=', 'call')
    .where('status', '=', 'approved')
    .executeTakeFirst()
  if (approval) return sameBound(approval, bound)
  return isGranted(trx, run.row, tool, bound)
}

async function supersede(trx: Trx, call: ToolCallTable): Promise<NewEvent[]> {
  const old = await trx
    .updateTable('approval')
    .set({ status: 'superseded' })
    .where('tool_call_id', '=', call.tool_call_id)
    .where('kind', '=', 'call')
    .where('status', 'in', ['approved', 'pending'])
    .returning(['approval_id', 'conversation_id', 'run_id'])
    .execute()
  return old.map(({ approval_id, conversation_id, run_id }) => ({
    type: 'approval.decided',
    conversation_id,
    run_id,
    data: { approval_id, status: 'superseded', message_id: call.message_id },
  }))
}

/** Starts a call, exactly once in its life, and stores what came of it. */
async function perform(
  ports: RunPorts,
  run: StoredRun,
  epoch: number,
  policy: UserPolicy,
  call: ToolCallTable,
  tool: Tool,
  signal: AbortSignal,
): Promise<void> {
  const { db, store, activity } = ports
  const { tool_call_id } = call
  const { run_id, conversation_id, user_id } = run.row
  if (signal.aborted) return
  await db.transaction((trx) => store.apply(trx, run_id, { event: { type: 'call_started', tool_call_id }, epoch }))
  const told: Promise<unknown>[] = []
  const progress = (text: string) => {
    const data = {
      message_id: call.message_id,
      tool_call_id,
      module: tool.module,
      tool: tool.name,
      progress: cut(text, 500),
    }
    const event: NewEvent = { type: 'tool.progress', conversation_id, run_id, data }
    // Progress that cannot be told is no reason to fail the call.
    told.push(
      db
        .transaction((trx) => activity.append(trx, user_id, [event]))
        .catch((error: unknown) => ports.log.warn({ err: error }, 'progress not stored')),
    )
  }
  const input = JSON.parse(call.arguments) as Record<string, unknown>
  const over = new AbortController()
  using off = ports.switches.watch(tool.module, tool.name)
  const stop = AbortSignal.any([signal, off.signal])
  const ask = (question: ToolQuestion, asking: AbortSignal): Promise<ToolAnswer> => {
    const answer = askPerson(ports, run, epoch, call, question, AbortSignal.any([asking, stop, over.signal]))
    told.push(answer)
    return answer
  }
  const result = await ports.tools.call(
    {
      tool_call_id,
      module: tool.module,
      tool: tool.name,
      definition_hash: tool.definition_hash,
      input,
      user_id,
      run_id,
      conversation_id,
      ask,
    },
    stop,
    progress,
  )
  over.abort()
  await Promise.all(told)
  const why = off.signal.aborted ? ports.switches.why(tool.module, tool.name) : null
  const text = why === null || result.status === 'done' ? result.text : `${why.in(policy.language)}\n${result.text}`
  await storeResult(ports, run, epoch, policy, call, { ...result, text })
}

async function storeResult(
  ports: RunPorts,
  run: StoredRun,
  epoch: number,
  policy: UserPolicy,
  call: ToolCallTable,
  result: ToolResult,
): Promise<void> {
  const { db, store } = ports
  const { tool_call_id } = call
  const { kept, text } = await keepFiles(ports, policy, run.row.run_id, result)
  await db.transaction(async (trx) => {
    const event = { type: 'call_ended' as const, tool_call_id, status: result.status }
    const change = { event, epoch, result_text: text }
    await store.apply(trx, run.row.run_id, change, async () => {
      const tables = result.tables.map((table) => ({
        type: 'table' as const,
        data: { tool_call_id, table },
        find: table.title,
      }))
      const files = kept.map((file) => ({ type: 'file' as const, data: file, find: file.name }))
      await addParts(trx, call.message_id, call.step, [...tables, ...files])
      if (call.effect === 'read') return []
      const details = {
        tool: `${call.module}.${call.tool}`,
        run_id: run.row.run_id,
        arguments_hash: call.arguments_hash,
        status: result.status,
      }
      const outcome = result.status === 'done' ? 'ok' : 'failed'
      await ports.audit.record(trx, { actor: policy, action: 'tool.called', target: tool_call_id, outcome, details })
      return []
    })
  })
}
