import type { Trx } from '../../db/database.ts'
import type { ApprovalTable, RunTable, ToolCallTable } from '../../db/chat-tables.ts'
import { cut } from '../../kernel/text/plain-text.ts'
import { SealError } from '../../kernel/vault.ts'
import type { NewEvent } from '../history/activity.ts'
import { askForCall, type Bound, boundTo, sameBound } from '../approvals/approval-cards.ts'
import { aboutChange } from '../changes/about-change.ts'
import { changedBy, changeRows, type RanCall, storeChanges } from '../changes/store-changes.ts'
import { onlyPreviewDiffers, supersededCards } from '../approvals/superseded-cards.ts'
import { countVotes } from '../approvals/votes.ts'
import { NOBODY_ELSE, othersTold } from '../run/others-told.ts'
import { exactArguments } from './call-arguments.ts'
import { previewCall, unseen } from './call-preview.ts'
import { offersFor } from '../grants/offers.ts'
import { markUntrusted, readsUntrusted } from '../history/untrusted.ts'
import { type AskingCall, type Granted, stillGranted } from '../grants/use-grants.ts'
import { askPerson } from '../approvals/ask-person.ts'
import { keepFiles } from './keep-files.ts'
import { addParts } from '../history/parts.ts'
import { wordedTable } from '../../kernel/worded-table.ts'
import { say } from '../../kernel/sentence.ts'
import type { Policy } from '../ports/policy.ts'
import type { Step } from '../run/step.ts'
import { tellIgnored } from './tell-ignored.ts'
import { saidOf, verifyCall } from './verify-call.ts'
import type { IgnoredStop, Tool, ToolAnswer, ToolQuestion, ToolResult } from '../ports/tools.ts'

/** Read-only calls that run in parallel; calls that change something run one at a time, in the requested order. */
const AT_ONCE = 8

/**
 * Runs the calls that may run now. Every decision is checked again first: whoever was allowed then may not be now, and
 * what was approved may not be what would run.
 */
export async function act(step: Step): Promise<null> {
  const { signal } = step
  const ready: ({ call: ToolCallTable } & MayRun)[] = []
  for (const call of step.run.calls.filter((candidate) => candidate.status === 'pending')) {
    const may = await recheck(step, call)
    if (may === 'asks') return null // A new card was created: the run waits, and nothing of this step has started.
    if (may) ready.push({ call, ...may })
  }
  const reads = ready.filter(({ tool }) => tool.effect === 'read')
  const others = ready.filter(({ tool }) => tool.effect !== 'read')
  const next = reads.values()
  const ignored = new Map<string, IgnoredStop>()
  const start = async ({ call, ...may }: (typeof ready)[number]) => {
    const what = await perform(step, call, may)
    // Two calls of a module ignored the stop: the first was still waiting for the second, which then had the module
    // restarted.
    if (what !== undefined && ignored.get(call.module) !== 'restarted') ignored.set(call.module, what)
  }
  const readers = Array.from({ length: Math.min(AT_ONCE, reads.length) }, async () => {
    for (const one of next) await start(one)
  })
  const writer = (async () => {
    for (const one of others) {
      if (signal.aborted) return
      await start(one)
    }
  })()
  // All of them finish before an error ends the run, so no call is left unsupervised.
  const outcomes = await Promise.allSettled([...readers, writer])
  if (ignored.size > 0) await tellIgnored(step, ignored)
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  signal.throwIfAborted()
  return null
}

/** A call that may run: with which tool, and the state that its approved preview saw. */
interface MayRun {
  readonly tool: Tool
  readonly state?: string | undefined
}

/** What to run; null when the call was refused, `asks` when a new card was created. */
async function recheck(step: Step, call: ToolCallTable): Promise<MayRun | 'asks' | null> {
  const { ports, db, store, limits, run, epoch, policy } = step
  const refuse = async (status: 'failed' | 'denied', result_text: string): Promise<null> => {
    const event = { type: 'call_ended' as const, tool_call_id: call.tool_call_id, status }
    await db.transaction((trx) => store.apply(trx, run.row.run_id, { event, epoch, result_text }))
    return null
  }
  const tool = ports.tools.find(call.module, call.tool)
  if (!tool) return refuse('failed', say`The tool is no longer available.`.in(policy.language))
  let input: Record<string, unknown>
  try {
    input = exactArguments(ports.secrets, call)
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    const why = say`Its arguments were sealed with another key, not the one of this installation: request the call again.`
    return refuse('failed', why.in(policy.language))
  }
  const verdict = policy.call(tool, input, { untrusted: call.untrusted === 1 })
  if (verdict.effect === 'deny') return refuse('denied', verdict.reason)
  if (verdict.effect === 'allow') return { tool }
  const preview = await previewCall(step, tool, input)
  const why = unseen(tool, preview)
  if (why !== null) return refuse('failed', why.in(policy.language))
  const bound = boundTo(tool, input, verdict, preview?.hash)
  const may = await store.write(step, async (trx, held) => {
    const asking = { tool_call_id: call.tool_call_id, tool, input, bound, verdict, untrusted: call.untrusted === 1 }
    const { granted, sleeping } = await stillApproved(trx, ports.policy, run.row, asking)
    if (granted) return { tool, state: preview?.state }
    if (preview !== null && (await supersededCards(trx, call)) >= limits.previews) return 'differs'
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
          preview: preview?.shown ?? null,
          offers: offersFor(ports, tool, input, {
            every_time: verdict.every_time === true,
            untrusted: asking.untrusted,
            sleeping,
          }),
          untrusted: asking.untrusted ? held.untrusted : null,
          summary: tool.summarize(ports.secrets.mask(call.module, input)),
          reason:
            superseded.length > 0
              ? (await onlyPreviewDiffers(trx, call, bound))
                ? say`The situation has changed since it was approved: the call would now change something else. ${verdict.reason}`.in(
                    policy.language,
                  )
                : say`Something changed since it was approved. ${verdict.reason}`.in(policy.language)
              : verdict.reason,
          life: limits.approvalLife,
        },
      )
      return [...superseded, card]
    })
    return 'asks'
  })
  if (may !== 'differs') return may
  return refuse('failed', say`What it would change was different each time, so it was not run.`.in(policy.language))
}

async function stillApproved(
  trx: Trx,
  policy: Policy,
  row: RunTable,
  call: AskingCall & { readonly bound: Bound },
): Promise<Granted> {
  const approval = await trx
    .selectFrom('approval')
    .selectAll()
    .where('tool_call_id', '=', call.tool_call_id)
    .where('kind', '=', 'call')
    .where('status', '=', 'approved')
    .executeTakeFirst()
  // Whoever agreed may be disabled or in another role by now.
  if (approval)
    return { granted: sameBound(approval, call.bound) && (await stillAgreed(trx, approval)), sleeping: null }
  return stillGranted(trx, policy, row, call)
}

async function stillAgreed(trx: Trx, approval: ApprovalTable): Promise<boolean> {
  return approval.needs === NOBODY_ELSE || (await countVotes(trx, approval)).enough
}

async function supersede(trx: Trx, call: ToolCallTable): Promise<NewEvent[]> {
  const old = await trx
    .updateTable('approval')
    .set({ status: 'superseded' })
    .where('tool_call_id', '=', call.tool_call_id)
    .where('kind', '=', 'call')
    .where('status', 'in', ['approved', 'pending'])
    .returning(['approval_id', 'conversation_id', 'run_id', 'user_id', 'needs'])
    .execute()
  const events: NewEvent[] = []
  for (const { approval_id, conversation_id, run_id, ...card } of old)
    events.push({
      type: 'approval.decided',
      conversation_id,
      run_id,
      data: { approval_id, status: 'superseded', message_id: call.message_id },
      ...(await othersTold(trx, card)),
    })
  return events
}

/** Starts a call, exactly once in its life, and stores its outcome. Returns what was done if it ignored a stop. */
async function perform(step: Step, call: ToolCallTable, { tool, state }: MayRun): Promise<IgnoredStop | undefined> {
  const { ports, db, store, activity, switches, log, run, epoch, policy, signal } = step
  const { tool_call_id } = call
  const { run_id, conversation_id, user_id } = run.row
  if (signal.aborted) return undefined
  await db.transaction((trx) => store.apply(trx, run_id, { event: { type: 'call_started', tool_call_id }, epoch }))
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
  const about = { ...(await aboutChange(db.read, user_id, tool, input)), ...(state !== undefined && { state }) }
  const over = new AbortController()
  using off = switches.watch(tool.module, tool.name)
  const stop = AbortSignal.any([signal, off.signal])
  const ask = (question: ToolQuestion, asking: AbortSignal): Promise<ToolAnswer> => {
    const answer = askPerson(step, call, question, AbortSignal.any([asking, stop, over.signal]))
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
      about,
      ask,
    },
    stop,
    progress,
  )
  over.abort()
  await Promise.all(told)
  const why = off.signal.aborted ? switches.why(tool.module, tool.name) : null
  const text = why === null || result.status === 'done' ? result.text : `${why.in(policy.language)}\n${result.text}`
  await storeResult(step, call, { tool, input, about }, { ...result, text })
  return result.ignored
}

async function storeResult(step: Step, call: ToolCallTable, ran: RanCall, result: ToolResult): Promise<void> {
  const { ports, db, store, run, epoch, policy } = step
  const { tool_call_id } = call
  const { kept, made, text } = await keepFiles(step, {
    ...result,
    text: ports.secrets.mask(call.module, result.text),
  })
  const changed = changedBy(ran, result.changes, made)
  const verified = result.status === 'done' ? await verifyCall(step, ran.tool, ran.input, changed) : null
  const changes = changeRows(run.row, call, ran, changed, ports.secrets)
  await db.transaction(async (trx) => {
    const event = { type: 'call_ended' as const, tool_call_id, status: result.status }
    const ended = { actor: policy, exit_code: result.exit_code, verified, undoes: changes.undone }
    const change = { event, epoch, result_text: `${text}${saidOf(step, verified)}`, ended }
    await store.apply(trx, run.row.run_id, change, async () => {
      const wording = ports.tools.wording(call.module, policy.language)
      const tables = result.tables
        .map((table) => ports.secrets.mask(call.module, wordedTable(table, wording)))
        .map((table) => ({ type: 'table' as const, data: { tool_call_id, table }, find: table.title }))
      const source = { kind: 'tool' as const, name: `${call.module}.${call.tool}` }
      const marked = readsUntrusted(ran.tool) ? await markUntrusted(trx, run.row.conversation_id, source) : []
      const files = kept.map((file) => ({ type: 'file' as const, data: { ...file, tool_call_id }, find: file.name }))
      await addParts(trx, { ...run.row, message_id: call.message_id }, call.step, [...tables, ...files])
      await storeChanges(trx, changes, call)
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
