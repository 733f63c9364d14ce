import type { Untrusted } from '../../../contract/grants.ts'
import type { Trx } from '../../db/database.ts'
import type { RunTable, ToolCallTable } from '../../db/rows/chat-tables.ts'
import type { SearchableLine } from '../../db/search-segments.ts'
import { insertRows } from '../../db/statement.ts'
import { hashOf } from '../../kernel/text/canonical.ts'
import { newId } from '../../kernel/id.ts'
import { isTooDeep, JSON_DEPTH } from '../../kernel/text/json-depth.ts'
import { say, Sentence } from '../../kernel/sentence.ts'
import { cut, storable } from '../../kernel/text/plain-text.ts'
import type { NewEvent } from '../history/activity.ts'
import { askForCall, type Bound, boundTo } from '../approvals/approval-cards.ts'
import { offersFor } from '../grants/offers.ts'
import { type AskingCall, useGrant } from '../grants/use-grants.ts'
import type { StepChunk } from '../ports/model.ts'
import { insertParts } from '../history/parts.ts'
import type { Verdict } from '../ports/policy.ts'
import { storedArguments } from './call-arguments.ts'
import { type CallPreview, previewCall, unseen } from './call-preview.ts'
import { FIND_TOOLS, FINDING, isFinding, wordsOf } from './find-tools.ts'
import type { Finder } from './tool-offer.ts'
import { modulesOf } from '../conversations/tool-modules.ts'
import { repairArguments } from './repair-arguments.ts'
import { callInPlan } from '../run/procedure-call.ts'
import type { Secrets } from '../ports/secrets.ts'
import type { Step } from '../run/step.ts'
import {
  type CallTargets,
  hasRemote,
  hostsNow,
  ownArguments,
  storedTargets,
  targetsOf,
} from '../targets/call-targets.ts'
import type { CallHost } from '../ports/hosts.ts'
import type { Tool } from '../ports/tools.ts'

export type ModelCall = Extract<StepChunk, { type: 'call' }>

/** A call the model requested, judged before anything runs. */
export type Judged = { readonly call: ModelCall; readonly module: string; readonly tool: string } & (
  | {
      readonly kind: 'refused'
      readonly found: Tool | null
      readonly status: 'failed' | 'denied'
      readonly why: string
    }
  /** The engine has looked for tools: it is answered at once, and nothing runs. */
  | { readonly kind: 'found'; readonly found: null; readonly names: readonly string[]; readonly text: string }
  | {
      readonly kind: 'known'
      readonly found: Tool
      readonly verdict: Verdict
      readonly bound: Bound
      readonly preview: CallPreview | null
      readonly targets: CallTargets | null
    }
)

/** The machines that these calls may be about, for `judge`. */
export function hostsFor({ ports: { tools, hosts } }: Step, calls: readonly ModelCall[]): Promise<readonly CallHost[]> {
  return hostsNow(
    hosts,
    calls.map(({ name }) => tools.find(...namesIn(name))),
  )
}

function namesIn(name: string): [module: string, tool: string] {
  const dot = name.indexOf('.')
  return dot < 0 ? ['', name] : [name.slice(0, dot), name.slice(dot + 1)]
}

/** Determines for each call whether it may run, needs approval, or is refused with a reason the model can act on. */
export function judge(
  { ports: { tools }, policy, limits, plan, run }: Step,
  calls: readonly ModelCall[],
  {
    untrusted,
    hosts,
    finder,
  }: { readonly untrusted: boolean; readonly hosts: readonly CallHost[]; readonly finder: Finder | null },
): Judged[] {
  const modules = run.row.ai_mode === 'direct' ? null : modulesOf(run.row)
  return calls.map((call, i) => {
    const [module, tool] = namesIn(call.name)
    const found = tools.find(module, tool) ?? null
    const refused = (status: 'failed' | 'denied', why: string | Sentence): Judged => ({
      kind: 'refused',
      call,
      module,
      tool,
      found,
      status,
      why: why instanceof Sentence ? why.in(policy.language) : why,
    })

    if (i >= limits.callsPerStep)
      return refused('failed', say`Too many calls at once: at most ${limits.callsPerStep} in one step.`)
    if (found && modules?.includes(module) === false)
      return refused('failed', say`The module ${module} is not chosen for this conversation.`)
    if (!found && (finder === null || call.name !== FIND_TOOLS))
      return refused(
        'failed',
        say`There is no tool ${JSON.stringify(cut(call.name, 100))}. Use one of the tools given.`,
      )
    if (call.input === null) {
      const given = JSON.stringify(cut(call.malformed ?? '', 200))
      return refused('failed', say`The arguments are not a JSON object: ${given}`)
    }
    // Of arguments over a limit nothing is kept: copying what is deep would overflow the stack, and what is long would fill
    // every later prompt. Such a call is refused, never judged by weaker checks.
    const over = (why: Sentence): Judged => ({ ...refused('failed', why), call: { ...call, input: null } })
    if (isTooDeep(call.input)) return over(say`The arguments are nested too deep: at most ${JSON_DEPTH} levels.`)
    if (JSON.stringify(call.input).length > limits.argumentCharacters)
      return over(say`The arguments are too large: at most ${limits.argumentCharacters} characters.`)
    if (!found) {
      const words = wordsOf(call.input)
      if (words === null) return refused('failed', say`The arguments do not fit: ${'words: what to look for'}`)
      return { kind: 'found', call: { ...call, input: { words } }, ...FINDING, found: null, ...finder!.find(words) }
    }
    // From here on there is one value: what is checked is judged, bound, shown, stored and sent.
    const one = fitting(found, call, call.input)
    const { input } = one
    const wrong = found.check(input)
    if (wrong !== null) return { ...refused('failed', say`The arguments do not fit: ${wrong}`), call: one }
    const targets = targetsOf(found, input, hosts, policy)
    if (targets instanceof Sentence) return { ...refused('failed', targets), call: one }
    const own = ownArguments(found, input)
    const procedure = callInPlan(plan, run.row.step, found, input)
    const verdict = policy.call(found.bare ?? found, own, { untrusted, hosts: targets?.hosts, procedure })
    if (verdict.effect === 'deny') return { ...refused('denied', verdict.reason), call: one }
    const bound = boundTo(found, input, verdict, { targets })
    return { kind: 'known', call: one, module, tool, found, verdict, bound, preview: null, targets }
  })
}

/** The call with its arguments filled in; where they only fit once they have been mended, as they are then. */
function fitting(tool: Tool, call: ModelCall, given: Record<string, unknown>) {
  const input = tool.fill(given)
  if (tool.check(input) === null) return { ...call, input }
  const mended = repairArguments(tool.input_schema, given)
  const filled = mended === given ? input : tool.fill(mended)
  if (mended === given || isTooDeep(mended) || tool.check(filled) !== null) return { ...call, input }
  return { ...call, input: filled, repaired: [...(call.repaired ?? []), 'values' as const] }
}

/** The same, with a preview of each call that asks and whose tool offers one. Rejects only when the run is stopped. */
export function withPreviews(step: Step, judged: readonly Judged[]): Promise<Judged[]> {
  return Promise.all(
    judged.map(async (item) => {
      if (item.kind !== 'known' || item.verdict.effect !== 'ask') return item
      const preview = await previewCall(step, item.found, item.call.input ?? {}, item.targets)
      const why = unseen(item.found, preview)
      if (why !== null) return { ...item, kind: 'refused', status: 'failed', why: why.in(step.policy.language) }
      return preview === null ? item : { ...item, preview, bound: { ...item.bound, preview_hash: preview.hash } }
    }),
  )
}

/**
 * Stores judged calls as parts of the answer from index `first` on, with a card for each that needs approval. Returns
 * their rows and events, and what makes them searchable.
 */
export async function storeCalls(
  trx: Trx,
  { ports, run: { row: run }, limits }: Step,
  judged: readonly Judged[],
  { first, untrusted }: { readonly first: number; readonly untrusted: Untrusted | null },
): Promise<{ rows: ToolCallTable[]; events: NewEvent[]; lines: SearchableLine[] }> {
  const { secrets, policy } = ports
  const step = run.step + 1
  const ids = judged.map(() => newId('toolCall'))
  const shown = judged.map((item) => secrets.mask(item.module, item.call.input ?? {}))
  const lines = await insertParts(
    trx,
    run.output_message_id,
    { first, step },
    judged.map((item, i) => ({
      type: 'tool_call',
      data: { tool_call_id: ids[i]! },
      // Searchable by tool name and arguments.
      find: `${item.call.name} ${JSON.stringify(shown[i])}`,
    })),
  )
  const rows: ToolCallTable[] = []
  const events: NewEvent[] = []
  for (const [i, item] of judged.entries()) {
    const asking = item.kind === 'known' && item.verdict.effect === 'ask' ? askingCall(item, ids[i]!, untrusted) : null
    const { granted, sleeping } = asking === null ? ALLOWED : await useGrant(trx, policy, run, asking)
    const row = toRow(
      run,
      { part_index: first + i, tool_call_id: ids[i]!, item, asks: !granted, untrusted: untrusted !== null },
      secrets,
    )
    rows.push(row)
    if (item.kind !== 'known') {
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
    } else if (asking !== null && !granted) {
      const about = {
        bound: item.bound,
        preview: item.preview?.shown ?? null,
        targets: storedTargets(item.targets),
        offers: offersFor(ports, item.found.bare ?? item.found, asking.input, {
          remote: hasRemote(item.targets),
          every_time: item.verdict.every_time === true,
          untrusted: untrusted !== null,
          sleeping,
        }),
        untrusted,
        summary: item.found.summarize(shown[i]!),
        reason: item.verdict.reason,
        life: limits.approvalLife,
      }
      events.push(await askForCall(trx, run, row, about))
    }
  }
  await insertRows(trx, 'tool_call', rows)
  return { rows, events, lines }
}

const ALLOWED = { granted: true, sleeping: null }

function askingCall(
  { found, call, bound, verdict }: Extract<Judged, { kind: 'known' }>,
  tool_call_id: string,
  untrusted: Untrusted | null,
): AskingCall {
  const input = ownArguments(found, call.input ?? {})
  return { tool_call_id, tool: found.bare ?? found, input, bound, verdict, untrusted: untrusted !== null }
}

function toRow(
  run: RunTable,
  {
    part_index,
    tool_call_id,
    item,
    asks,
    untrusted,
  }: {
    readonly part_index: number
    readonly tool_call_id: string
    readonly item: Judged
    readonly asks: boolean
    readonly untrusted: boolean
  },
  secrets: Secrets,
): ToolCallTable {
  const over = item.kind === 'known' ? null : outcomeOf(item)
  const known = item.kind === 'known' ? item : null
  return {
    tool_call_id,
    run_id: run.run_id,
    message_id: run.output_message_id,
    part_index,
    step: run.step + 1,
    call_id: item.call.call_id || tool_call_id,
    module: storable(cut(item.module, 100)),
    tool: storable(cut(item.tool, 200)),
    title: item.found?.title ?? (isFinding(item) ? 'Find tools' : storable(cut(item.call.name, 200))),
    effect: item.kind === 'found' ? 'read' : (item.found?.effect ?? 'unknown'),
    ...storedArguments(secrets, item.module, item.call.input ?? {}),
    main_argument: item.found?.main_argument ?? null,
    repaired: item.call.repaired?.length ? JSON.stringify(item.call.repaired) : null,
    arguments_hash: hashOf(item.call.input ?? {}),
    definition_hash: item.found?.definition_hash ?? '',
    module_version: item.found?.module_version ?? '',
    decision: known?.verdict.effect ?? over!.decision,
    basis: known?.verdict.basis ?? '',
    status: over?.status ?? (asks ? 'awaiting_approval' : 'pending'),
    result_text: over && secrets.mask(item.module, over.text),
    verified: null,
    provider: JSON.stringify(item.call.provider ?? null),
    untrusted: untrusted ? 1 : 0,
    targets: known && storedTargets(known.targets),
    started_at: null,
    ended_at: over === null ? null : Date.now(),
  }
}

/** How a call ended that did not have to run. */
function outcomeOf(item: Exclude<Judged, { kind: 'known' }>) {
  return item.kind === 'found'
    ? { decision: 'allow' as const, status: 'done' as const, text: item.text }
    : { decision: 'deny' as const, status: item.status, text: item.why }
}
