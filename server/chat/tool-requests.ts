import type { Trx } from '../db/database.ts'
import type { RunTable, ToolCallTable } from '../db/chat-tables.ts'
import { hashOf } from '../kernel/canonical.ts'
import { newId } from '../kernel/id.ts'
import { cut, storable } from '../kernel/text.ts'
import type { NewEvent } from './activity.ts'
import { askForCall, type Bound, boundTo, isGranted } from './approval-cards.ts'
import type { StepChunk } from './model.ts'
import { addParts } from './parts.ts'
import type { UserPolicy, Verdict } from './policy.ts'
import type { RunLimits } from './run-ports.ts'
import type { Tool, Tools } from './tools.ts'

export type ModelCall = Extract<StepChunk, { type: 'call' }>

/** A call that the model asked for, judged before anything runs. */
export type Judged = { readonly call: ModelCall; readonly module: string; readonly tool: string } & (
  | {
      readonly kind: 'refused'
      readonly found: Tool | null
      readonly status: 'failed' | 'denied'
      readonly why: string
    }
  | { readonly kind: 'known'; readonly found: Tool; readonly verdict: Verdict; readonly bound: Bound }
)

/** Says of each call whether it may run, must be asked about, or is refused with a reason that the model can act on. */
export function judge(calls: readonly ModelCall[], tools: Tools, policy: UserPolicy, limits: RunLimits): Judged[] {
  return calls.map((call, i) => {
    const dot = call.name.indexOf('.')
    const module = dot < 0 ? '' : call.name.slice(0, dot)
    const tool = dot < 0 ? call.name : call.name.slice(dot + 1)
    const found = tools.find(module, tool) ?? null
    const refused = (status: 'failed' | 'denied', why: string): Judged => ({
      kind: 'refused',
      call,
      module,
      tool,
      found,
      status,
      why,
    })

    if (i >= limits.callsPerStep)
      return refused('failed', `Too many calls at once: at most ${limits.callsPerStep} in one step.`)
    if (!found)
      return refused('failed', `There is no tool ${JSON.stringify(cut(call.name, 100))}. Use one of the tools given.`)
    if (call.input === null) {
      return refused('failed', `The arguments are not a JSON object: ${JSON.stringify(cut(call.malformed ?? '', 200))}`)
    }
    // Over a limit a call is refused, never judged more weakly.
    if (JSON.stringify(call.input).length > limits.argumentCharacters) {
      return refused('failed', `The arguments are too large: at most ${limits.argumentCharacters} characters.`)
    }
    const wrong = found.check(call.input)
    if (wrong !== null) return refused('failed', `The arguments do not fit: ${wrong}`)
    const verdict = policy.tool(found)
    if (verdict.effect === 'deny') return refused('denied', verdict.reason)
    return { kind: 'known', call, module, tool, found, verdict, bound: boundTo(found, call.input, verdict) }
  })
}

/** Stores judged calls as parts of the answer, with a card for each that asks. Returns their rows and the events that tell of it. */
export async function storeCalls(
  trx: Trx,
  run: RunTable,
  step: number,
  judged: readonly Judged[],
  limits: RunLimits,
): Promise<{ rows: ToolCallTable[]; events: NewEvent[] }> {
  const ids = judged.map(() => newId('toolCall'))
  const first = await addParts(
    trx,
    run.output_message_id,
    step,
    judged.map((item, i) => ({
      type: 'tool_call',
      data: { tool_call_id: ids[i]! },
      // Found by what was called, and with which arguments.
      find: `${item.call.name} ${JSON.stringify(item.call.input ?? {})}`,
    })),
  )
  const rows: ToolCallTable[] = []
  const events: NewEvent[] = []
  for (const [i, item] of judged.entries()) {
    const granted =
      item.kind === 'known' && item.verdict.effect === 'ask' && (await isGranted(trx, run, item.found, item.bound))
    const asks = item.kind === 'known' && item.verdict.effect === 'ask' && !granted
    const row = toRow(run, step, first + i, ids[i]!, item, asks)
    await trx.insertInto('tool_call').values(row).execute()
    rows.push(row)
    if (item.kind === 'refused') {
      events.push({
        type: 'tool.finished',
        conversation_id: run.conversation_id,
        run_id: run.run_id,
        data: {
          message_id: row.message_id,
          tool_call_id: row.tool_call_id,
          module: row.module,
          tool: row.tool,
          status: row.status,
        },
      })
    } else if (asks) {
      const about = {
        bound: item.bound,
        summary: item.found.summarize(item.call.input!),
        reason: item.verdict.reason,
        life: limits.approvalLife,
      }
      events.push(await askForCall(trx, run, row, about))
    }
  }
  return { rows, events }
}

function toRow(
  run: RunTable,
  step: number,
  part_index: number,
  tool_call_id: string,
  item: Judged,
  asks: boolean,
): ToolCallTable {
  const refused = item.kind === 'refused'
  return {
    tool_call_id,
    run_id: run.run_id,
    message_id: run.output_message_id,
    part_index,
    step,
    call_id: item.call.call_id || tool_call_id,
    module: storable(cut(item.module, 100)),
    tool: storable(cut(item.tool, 200)),
    title: item.found?.title ?? storable(cut(item.call.name, 200)),
    effect: item.found?.effect ?? 'unknown',
    arguments: JSON.stringify(item.call.input ?? {}),
    arguments_hash: hashOf(item.call.input ?? {}),
    definition_hash: item.found?.definition_hash ?? '',
    module_version: item.found?.module_version ?? '',
    decision: refused ? 'deny' : item.verdict.effect,
    basis: refused ? '' : item.verdict.basis,
    status: refused ? item.status : asks ? 'awaiting_approval' : 'pending',
    result_text: refused ? item.why : null,
    provider: JSON.stringify(item.call.provider ?? null),
    started_at: null,
    ended_at: refused ? Date.now() : null,
  }
}
