import type { ToolCallTable } from '../../db/rows/chat-tables.ts'
import { cut } from '../../kernel/text/plain-text.ts'
import type { NewEvent } from '../history/activity.ts'
import { aboutChange, changeNamed } from '../changes/about-change.ts'
import { changesOf, changeRows, type RanCall, storeChanges } from '../changes/store-changes.ts'
import { exactArguments } from './call-arguments.ts'
import type { CallPreview } from './call-preview.ts'
import { markUntrusted, readsUntrusted } from '../history/untrusted.ts'
import { askPerson } from '../approvals/ask-person.ts'
import { keepFiles } from './keep-files.ts'
import { addParts } from '../history/parts.ts'
import { wordedTable } from '../../kernel/worded-table.ts'
import type { CallHost } from '../ports/hosts.ts'
import type { Step } from '../run/step.ts'
import { type CallTargets, hasRemote, ownArguments } from '../targets/call-targets.ts'
import type { HostEnd } from '../targets/fan-out.ts'
import { keepEnds, runOnHosts } from './run-on-hosts.ts'
import { endedOn } from '../run/audit-call.ts'
import { saidOf, verifyCall } from './verify-call.ts'
import type { IgnoredStop, Tool, ToolAnswer, ToolQuestion, ToolResult } from '../ports/tools.ts'

/** A call that may run: with which tool, where, and the states that its approved preview saw. */
export interface MayRun {
  readonly tool: Tool
  /** The machines that it is about; null for a tool that works on none. */
  readonly targets: CallTargets | null
  readonly states?: CallPreview['states']
}

/**
 * Starts a call, exactly once in its life, and stores its outcome. Returns what was done if it ignored a stop; `outdated`
 * if it was not started, because a switch, a module or a rule has changed since it was judged.
 */
export async function perform(
  step: Step,
  call: ToolCallTable,
  may: MayRun,
): Promise<IgnoredStop | 'outdated' | undefined> {
  const { tool, states } = may
  const { ports, db, store, activity, switches, log, run, policy, signal } = step
  const { tool_call_id } = call
  const { run_id, conversation_id, user_id } = run.row
  if (signal.aborted) return undefined
  const { revision } = policy
  const starting = { tool_call_id, module: tool.module, revision }
  if (!(await db.transaction((trx) => store.start(trx, step, starting)))) return 'outdated'
  const told: Promise<unknown>[] = []
  const progress = (text: string) => {
    const data = {
      message_id: call.message_id,
      tool_call_id,
      module: tool.module,
      tool: tool.name,
      progress: cut(ports.secrets.mask(tool.module, text), 500),
    }
    const event: NewEvent = { type: 'tool.progress', conversation_id, run_id, data }
    // Failing to store progress must not fail the call.
    told.push(
      store
        .write(step, (trx) => activity.append(trx, user_id, [event]))
        .catch((error: unknown) => log.warn({ err: error }, 'progress not stored')),
    )
  }
  const input = exactArguments(ports.secrets, call)
  const named = await changeNamed(db.read, user_id, tool, input)
  const over = new AbortController()
  using off = switches.watch(tool.module, tool.name)
  const stop = AbortSignal.any([signal, off.signal])
  const ask = (question: ToolQuestion, asking: AbortSignal): Promise<ToolAnswer> => {
    const answer = askPerson(step, call, question, AbortSignal.any([asking, stop, over.signal]))
    told.push(answer)
    return answer
  }
  const callOn = (host: CallHost | null): Promise<ToolResult> => {
    const state = states?.get(host?.host_id ?? '')
    return ports.tools.call(
      {
        tool_call_id,
        module: tool.module,
        tool: tool.name,
        definition_hash: tool.definition_hash,
        input: ownArguments(tool, input),
        user_id,
        run_id,
        conversation_id,
        ...(host !== null && !host.local && { host_id: host.host_id }),
        about: { ...aboutChange(named, host), ...(state !== undefined && { state }) },
        ask,
      },
      stop,
      host === null || may.targets?.together !== true ? progress : (said) => progress(`${host.name}: ${said}`),
    )
  }
  const { result, ends } = await runOnHosts(step, call, may, callOn).finally(() => over.abort())
  await Promise.all(told)
  const why = off.signal.aborted ? switches.why(tool.module, tool.name) : null
  const text = why === null || result.status === 'done' ? result.text : `${why.in(policy.language)}\n${result.text}`
  await storeResult(step, call, { tool, input, named, targets: may.targets, ends }, { ...result, text })
  return result.ignored
}

interface Ends {
  readonly targets: CallTargets | null
  readonly ends: readonly HostEnd[]
}

async function storeResult(step: Step, call: ToolCallTable, ran: RanCall & Ends, result: ToolResult): Promise<void> {
  const { ports, db, store, run, epoch, policy } = step
  const { tool_call_id } = call
  const { kept, made, text } = await keepFiles(step, {
    ...result,
    text: ports.secrets.mask(call.module, result.text),
  })
  const changed = changesOf(ran, result, made)
  const verified = result.status === 'done' ? await verifyCall(step, ran, changed) : null
  const changes = changeRows(run.row, call, ran, changed, ports.secrets)
  await db.transaction(async (trx) => {
    const event = { type: 'call_ended' as const, tool_call_id, status: result.status }
    const ended = {
      actor: policy,
      exit_code: result.exit_code,
      verified,
      undoes: changes.undone,
      hosts: endedOn(ran.targets, ran.ends),
    }
    const change = { event, epoch, result_text: `${text}${saidOf(step, verified)}`, ended }
    await store.apply(trx, run.row.run_id, change, async () => {
      const wording = ports.tools.wording(call.module, policy.language)
      const tables = result.tables
        .map((table) => ports.secrets.mask(call.module, wordedTable(table, wording)))
        .map((table) => ({ type: 'table' as const, data: { tool_call_id, table }, find: table.title }))
      const source = { kind: 'tool' as const, name: `${call.module}.${call.tool}` }
      const marked = readsUntrusted(ran.tool, hasRemote(ran.targets))
        ? await markUntrusted(trx, run.row.conversation_id, source)
        : []
      const files = kept.map((file) => ({ type: 'file' as const, data: { ...file, tool_call_id }, find: file.name }))
      await addParts(trx, { ...run.row, message_id: call.message_id }, call.step, [...tables, ...files])
      await storeChanges(trx, changes, call)
      await keepEnds(trx, tool_call_id, ran, ran.ends)
      if (verified !== null)
        await trx
          .updateTable('tool_call')
          .set({ verified: JSON.stringify(verified) })
          .where('tool_call_id', '=', tool_call_id)
          .execute()
      // It has run, so nothing needs them any more.
      if (call.arguments_sealed !== null)
        await trx
          .updateTable('tool_call')
          .set({ arguments_sealed: null })
          .where('tool_call_id', '=', tool_call_id)
          .execute()
      return marked
    })
  })
}
