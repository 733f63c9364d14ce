import type { Untrusted } from '../../../contract/grants.ts'
import type { Reader, Trx } from '../../db/database.ts'
import { query } from '../../db/statement.ts'
import { choiceOf } from '../conversations/engine-choice.ts'
import { countUse } from './count-use.ts'
import { readLoaded, storeLoaded } from './loaded-tools.ts'
import { modulesOf } from '../conversations/tool-modules.ts'
import type { Engine, PromptTool } from '../ports/model.ts'
import { readMark } from '../history/untrusted.ts'
import { runNotice } from '../history/run-notices.ts'
import { sayNotice, sayWithoutTools } from './say-notice.ts'
import { type Said, speak } from './speak.ts'
import type { Tool } from '../ports/tools.ts'
import type { Change, HeldRun, StoredRun } from '../run/run-store.ts'
import { refuseToGoOn } from '../run/procedure-call.ts'
import type { Step } from '../run/step.ts'
import { prepareStep } from './step-prompt.ts'
import { toolBudget } from '../ports/tool-budget.ts'
import type { UsableTool } from './find-tools.ts'
import { type LoadedTool, NO_TOOLS, offerTools, type ToolOffer } from './tool-offer.ts'
import { hostsFor, judge, type Judged, storeCalls, withPreviews } from './tool-requests.ts'

/** A run after a step, and the text of that step, its parts apart. */
interface Thought {
  readonly run: StoredRun
  readonly texts: readonly string[]
}

/**
 * Takes one model step: builds the prompt, stores the output as it streams, and ends with `model_answered` or
 * `tools_requested`. Returns null when what is stored must be read to know it.
 * @throws {EngineError} {LostLease} AbortError, {AppError} quota_used_up: the runner turns them into the end of the
 * run.
 */
export async function think(step: Step): Promise<Thought | null> {
  const { ports, store, db, limits, epoch, policy, plan, justOpened } = step
  const { row } = step.run
  const apply = (notice: ReturnType<typeof runNotice>) =>
    db.transaction((trx) => store.apply(trx, row.run_id, { event: { type: 'model_answered' }, epoch, notice }))
  if (row.step >= limits.steps) {
    await apply(runNotice('step_limit'))
    return null
  }
  if (plan !== null) refuseToGoOn(plan, step.run)
  const text = step.input_text ?? (await inputText(db.read, row.input_message_id))
  const chosen = ports.model.choose(text, {
    role_id: policy.role_id,
    choice: choiceOf(row),
    ...(plan !== null && { procedure: { plan, done: row.step } }),
  })
  if (row.engine_id !== null && chosen.engine_id !== null && chosen.engine_id !== row.engine_id)
    await sayNotice(step, 'engine_gone', chosen.name)
  const { usable, refusals } = toolsFor(step, chosen.model === null)
  // With its message, the quota of a run has just been checked, unless no engine was meant to answer it.
  const checked = justOpened && row.model !== null
  const usedUp =
    chosen.engine_id === null || checked ? null : await ports.usage.usedUp(db.read, policy, chosen.engine_id)
  if (usedUp) throw usedUp
  const started_at = Date.now()
  const { said, request, engine } = await speak(step, chosen, async (by, scale) => {
    const offer = await offerFor(step, usable, by, scale)
    if (by.abilities.tools === false && usable.length > 0) await sayWithoutTools(step, by)
    return { ...(await prepareStep(step, by, offer, scale)), refusals, offer }
  })
  const { finder, loaded } = request.offer

  let hosts: Awaited<ReturnType<typeof hostsFor>> = []
  const finish = async (
    trx: Trx,
    held: HeldRun,
    before: readonly Judged[],
    mark: Untrusted | null,
  ): Promise<Thought> => {
    const { reason, input_tokens, output_tokens, writer } = said
    const rest = await writer.rest(trx, held)
    // Judged under the run's lock: what its conversation has read by now counts, even if that was not known before.
    const { untrusted } = held
    const same = (untrusted === null) === (mark === null)
    const judged = same ? before : judge(step, said.calls, { untrusted: untrusted !== null, hosts, finder })
    const stored =
      judged.length === 0 ? null : await storeCalls(trx, step, judged, { first: rest.next_part, untrusted })
    const nowLoaded = finder === null ? loaded : finder.after(namesIn(judged))
    if (nowLoaded !== loaded) await storeLoaded(trx, row.conversation_id, nowLoaded)
    const output = JSON.stringify({ reason, prompt: request.record ?? undefined })
    const use = { engine, kind: 'model' as const, output, input_tokens, output_tokens, started_at }
    const fields = {
      ...(await countUse(trx, step, held, use)),
      // Another may have stood in for the chosen one.
      engine: engine.name,
    }
    const events = [...rest.events, ...(stored?.events ?? [])]
    const lines = [...rest.lines, ...(stored?.lines ?? [])]
    const notice = stored ? undefined : noticeAbout(said)
    const change: Omit<Change, 'epoch'> = {
      event: stored
        ? { type: 'tools_requested', calls: stored.rows.map(({ tool_call_id, status }) => ({ tool_call_id, status })) }
        : { type: 'model_answered' },
      fields,
      lines,
      ...(stored && { calls: stored.rows }),
      ...(notice && { notice }),
    }
    const run = await store.applyTo(trx, held, change, () => Promise.resolve(events))
    return { run, texts: writer.texts }
  }
  try {
    const mark = said.calls.length === 0 ? null : await readMark(db.read, row.conversation_id)
    hosts = said.calls.length === 0 ? [] : await hostsFor(step, said.calls)
    const judged = await withPreviews(step, judge(step, said.calls, { untrusted: mark !== null, hosts, finder }))
    // The run's lock comes first: parts are numbered under it.
    return await store.write(step, (trx, held) => finish(trx, held, judged, mark))
  } catch (error) {
    // If only the acknowledgement of the commit was lost, the step is done.
    if (await isPast(step)) return null
    // The output is kept even if its consequences cannot be stored.
    await said.writer.close()
    throw error
  }
}

function noticeAbout(said: Said): ReturnType<typeof runNotice> | null {
  if (said.reason === 'length') return runNotice('answer_cut')
  if (said.reason === 'malformed') return runNotice('call_malformed')
  if (said.reason === 'filtered') return runNotice('answer_filtered')
  return said.writer.empty && said.calls.length === 0 ? runNotice('empty_answer') : null
}

async function isPast({ db, run: { row } }: Step): Promise<boolean> {
  const now = await db.read.selectFrom('run').select('step').where('run_id', '=', row.run_id).executeTakeFirst()
  return now !== undefined && now.step > row.step
}

/**
 * The tools that the engine may use: none that are denied, and none of modules that its conversation does without. In
 * direct mode, where people call tools themselves, naming a denied one returns the reason.
 */
function toolsFor(step: Step, direct: boolean) {
  const { ports, policy } = step
  const modules = direct ? null : modulesOf(step.run.row)
  const usable: UsableTool[] = []
  const refusals = new Map<string, string>()
  for (const tool of ports.tools.list()) {
    const { module, name, title, description, input_schema } = tool
    if (tool.hidden === true || modules?.includes(module) === false) continue
    const { effect, off, reason } = policy.list(tool)
    const full = `${module}.${name}`
    if (effect !== 'deny' || (off === true && direct)) {
      const texts = direct ? readTexts({ module, title, description }, step) : {}
      usable.push({ name: full, tool, prompt: { name: full, description, input_schema, ...texts } })
    } else if (direct) refusals.set(full, reason)
  }
  return { usable, refusals }
}

/**
 * What an engine is offered within this share of its usual size: nothing where its model takes no tools. And what its
 * conversation has loaded if not all tools fit.
 */
async function offerFor(
  step: Step,
  usable: readonly UsableTool[],
  { abilities, context_tokens }: Engine,
  scale: number,
): Promise<ToolOffer & { readonly loaded: readonly LoadedTool[] }> {
  const { ports, policy, db, run } = step
  if (abilities.tools === false) return { ...NO_TOOLS, loaded: [] }
  const budget = context_tokens === null ? null : toolBudget(context_tokens, scale)
  const offer = (loaded: readonly LoadedTool[]) =>
    offerTools(usable, budget, loaded, (module) => ports.tools.wording(module, policy.language))
  const all = offer([])
  if (all.finder === null) return { ...all, loaded: [] }
  const loaded = await readLoaded(db.read, run.row.conversation_id)
  return { ...offer(loaded), loaded }
}

/** The tools that these calls are about or have found. */
function namesIn(judged: readonly Judged[]): string[] {
  return judged.flatMap((item) => (item.kind === 'found' ? item.names : [`${item.module}.${item.tool}`]))
}

function readTexts(
  { module, title, description }: Pick<Tool, 'module' | 'title' | 'description'>,
  { ports, policy }: Step,
): Pick<PromptTool, 'title' | 'read'> {
  const { text } = ports.tools.wording(module, policy.language)
  return { title, read: { title: text(title), description: text(description) } }
}

async function inputText(reader: Reader, message_id: string): Promise<string> {
  return (await TEXT.first(reader, { message_id }))?.text ?? ''
}

const TEXT = query((db, is: { message_id: string }) =>
  db.selectFrom('message_part').select('text').where('message_id', '=', is.message_id).where('type', '=', 'text'),
)
