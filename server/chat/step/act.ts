import type { Database, Trx } from '../../db/database.ts'
import type { ApprovalTable, RunTable, ToolCallTable } from '../../db/rows/chat-tables.ts'
import { SealError } from '../../kernel/vault.ts'
import type { NewEvent } from '../history/activity.ts'
import { askForCall, type Bound, boundTo, sameBound } from '../approvals/approval-cards.ts'
import { onlyPreviewDiffers, supersededCards } from '../approvals/superseded-cards.ts'
import { countVotes } from '../approvals/votes.ts'
import { NOBODY_ELSE, othersTold } from '../run/others-told.ts'
import { exactArguments } from './call-arguments.ts'
import { previewCall, unseen } from './call-preview.ts'
import { offersFor } from '../grants/offers.ts'
import { type AskingCall, type Granted, stillGranted } from '../grants/use-grants.ts'
import { say, Sentence } from '../../kernel/sentence.ts'
import type { Policy } from '../ports/policy.ts'
import { callInPlan } from '../run/procedure-call.ts'
import type { Step } from '../run/step.ts'
import { hasRemote, hostsNow, ownArguments, storedTargets, targetsOf } from '../targets/call-targets.ts'
import { tellIgnored } from './tell-ignored.ts'
import type { IgnoredStop } from '../ports/tools.ts'
import { type MayRun, perform } from './perform-call.ts'

/** Read-only calls that run in parallel; calls that change something run one at a time, in the requested order. */
const AT_ONCE = 8

/**
 * Runs the calls that may run now. Every decision is checked again first: whoever was allowed then may not be now, and
 * what was approved may not be what would run. If anything that they are judged by has changed by the moment that one
 * starts, it and those after it are left for the next time, with everything read anew.
 */
export async function act(step: Step): Promise<null> {
  const { signal } = step
  const ready: ({ call: ToolCallTable } & MayRun)[] = []
  const pending = step.run.calls.filter(({ status }) => status === 'pending')
  // Its driver would ask again and again, and never come to an end.
  if (pending.length === 0) throw new Error(`The run ${step.run.row.run_id} acts, and no call of it is left to run.`)
  for (const call of pending) {
    const may = await recheck(step, call)
    if (may === 'asks') return null // A new card was created: the run waits, and nothing of this step has started.
    if (may) ready.push({ call, ...may })
  }
  const reads = ready.filter(({ tool }) => tool.effect === 'read')
  const others = ready.filter(({ tool }) => tool.effect !== 'read')
  const next = reads.values()
  const ignored = new Map<string, IgnoredStop>()
  const began = Date.now()
  let outdated = false
  const start = async ({ call, ...may }: (typeof ready)[number]) => {
    // What has not begun is judged anew once what has begun is over.
    if (outdated || signal.aborted) return
    const what = hasLostRole(step.policy, began) ? 'outdated' : await perform(step, call, may)
    if (what === 'outdated') {
      outdated = true
      return
    }
    // Two calls of a module ignored the stop: the first was still waiting for the second, which then had the module
    // restarted.
    if (what !== undefined && ignored.get(call.module) !== 'restarted') ignored.set(call.module, what)
  }
  const readers = Array.from({ length: Math.min(AT_ONCE, reads.length) }, async () => {
    for (const one of next) await start(one)
  })
  const writer = (async () => {
    for (const one of others) await start(one)
  })()
  // All of them finish before an error ends the run, so no call is left unsupervised.
  const outcomes = await Promise.allSettled([...readers, writer])
  if (ignored.size > 0) await tellIgnored(step, ignored)
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  signal.throwIfAborted()
  return null
}

/** A role for a while has ended since: nothing changes then, and no revision counts it. */
function hasLostRole({ elevated }: Step['policy'], since: number): boolean {
  return elevated !== undefined && elevated.ends_at > since && elevated.ends_at <= Date.now()
}

/** What to run; null when the call was refused, `asks` when a new card was created. */
async function recheck(step: Step, call: ToolCallTable): Promise<MayRun | 'asks' | null> {
  const { ports, db, store, limits, run, epoch, policy, plan } = step
  const refuse = async (status: 'failed' | 'denied', result_text: string): Promise<null> => {
    const event = { type: 'call_ended' as const, tool_call_id: call.tool_call_id, status }
    await db.transaction((trx) => store.apply(trx, run.row.run_id, { event, epoch, result_text }))
    return null
  }
  // Nothing of a version that was withdrawn runs, whatever the role may do by itself.
  if (plan !== null && plan.problem !== null) return refuse('denied', plan.problem.in(policy.language))
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
  // Names are looked up again: whom they mean now is judged, and what was approved holds for no other machine.
  const targets = targetsOf(tool, input, await hostsNow(ports.hosts, [tool]), policy)
  if (targets instanceof Sentence) return refuse('failed', targets.in(policy.language))
  const bare = tool.bare ?? tool
  const own = ownArguments(tool, input)
  const untrusted = call.untrusted === 1
  const procedure = callInPlan(plan, call.step - 1, tool, input)
  const verdict = policy.call(bare, own, { untrusted, hosts: targets?.hosts, procedure })
  if (verdict.effect === 'deny') return refuse('denied', verdict.reason)
  const stored = storedTargets(targets)
  if (verdict.effect === 'allow') {
    if (stored !== call.targets) await keepTargets(db.write, call, stored)
    return { tool, targets }
  }
  const preview = await previewCall(step, tool, input, targets)
  const why = unseen(tool, preview)
  if (why !== null) return refuse('failed', why.in(policy.language))
  const bound = boundTo(tool, input, verdict, { targets, preview_hash: preview?.hash })
  const may = await store.write(step, async (trx, held) => {
    const asking = { tool_call_id: call.tool_call_id, tool: bare, input: own, bound, verdict, untrusted }
    const { granted, sleeping } = await stillApproved(trx, ports.policy, run.row, asking)
    if (granted) return { tool, targets, states: preview?.states }
    if (preview !== null && (await supersededCards(trx, call)) >= limits.previews) return 'differs'
    const event = { type: 'approval_needed' as const, tool_call_id: call.tool_call_id }
    await store.apply(trx, run.row.run_id, { event, epoch }, async () => {
      const superseded = await supersede(trx, call)
      const { arguments_hash, definition_hash, module_version, basis } = bound
      await trx
        .updateTable('tool_call')
        .set({
          arguments_hash,
          definition_hash,
          module_version,
          basis,
          effect: tool.effect,
          title: tool.title,
          targets: stored,
        })
        .where('tool_call_id', '=', call.tool_call_id)
        .execute()
      const card = await askForCall(
        trx,
        run.row,
        { ...call, title: tool.title, effect: tool.effect },
        {
          bound,
          targets: stored,
          preview: preview?.shown ?? null,
          offers: offersFor(ports, bare, own, {
            every_time: verdict.every_time === true,
            remote: hasRemote(targets),
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

async function keepTargets(
  db: Database['write'],
  { tool_call_id }: ToolCallTable,
  targets: string | null,
): Promise<void> {
  await db.updateTable('tool_call').set({ targets }).where('tool_call_id', '=', tool_call_id).execute()
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
