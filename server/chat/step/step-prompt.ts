import { readSummary, storeSummary, summarise } from './compaction.ts'
import type { Engine, PromptMessage, StepRequest } from '../ports/model.ts'
import { buildPrompt, type Prompt, type Summary } from '../prompt/prompt.ts'
import { moduleWords } from '../prompt/module-words.ts'
import { lastFrame, type PromptRecord, recordPrompt } from '../prompt/prompt-record.ts'
import { sayNotice } from './say-notice.ts'
import type { Step } from '../run/step.ts'
import { systemPrompt } from '../prompt/system-prompt.ts'
import { textTokens } from '../../kernel/text/token-estimate.ts'
import type { ToolOffer } from './tool-offer.ts'
import { messageTokens, toolTokens } from '../prompt/tokens.ts'

/** Share of the model's context a prompt may fill; the rest is for the answer. */
const PROMPT_SHARE = 0.75
/** Characters to which an earlier tool result is shortened when the answer so far no longer fits. */
const SHORTENED = 1500

/**
 * The prompt of the next step, within `scale` of its allowed size; if the conversation no longer fits, its older part
 * is summarised first, with a notice. @throws {LostLease}
 */
export async function prepareStep(
  step: Step,
  engine: Engine,
  { tools, others }: Pick<ToolOffer, 'tools' | 'others'>,
  scale: number,
): Promise<StepRequest & { readonly record: PromptRecord | null }> {
  const { db, policy } = step
  const { row } = step.run
  const words = moduleWords(step, tools, engine.model === null ? null : engine.context_tokens, scale)
  const told = { words, tools: engine.abilities.tools !== false }
  const system = systemPrompt(policy, new Date(), told)
  const budget =
    engine.context_tokens === null
      ? null
      : Math.max(500, Math.floor(engine.context_tokens * PROMPT_SHARE * scale) - toolTokens(tools) - textTokens(system))
  let summary = budget === null ? null : await readSummary(db, row)
  // What was too much is tried without what counts most.
  const abilities = scale < 1 ? { ...engine.abilities, tool_pictures: false } : engine.abilities
  let prompt = await buildPrompt(step, budget, summary, abilities)
  if (row.step === 0) await remember(step, prompt)
  if (prompt.unseen) await sayNotice(step, 'engine_no_pictures', engine.model)
  if (budget !== null && prompt.left_out !== (summary?.through_message_id ?? null)) {
    summary = await compact(step, engine, budget, summary)
    prompt = await buildPrompt(step, budget, summary, abilities)
  }
  const shortened = budget === null ? null : shortenResults(prompt.messages, budget - textTokens(summary?.text ?? ''))
  if (shortened) await sayNotice(step, 'results_shortened')
  const about = { left_out: prompt.left_out, shortened: shortened !== null }
  // Without an engine nothing is read but the message itself.
  const before = engine.model === null || row.step === 0 ? null : await lastFrame(db.read, row.run_id)
  const record = engine.model === null ? null : recordPrompt(about, summary, tools, { policy, told, before })
  return { system, messages: shortened ?? prompt.messages, tools, others, language: policy.language, record }
}

/** Summarises whatever does not fit into half of the budget, so that the next messages fit without another round. */
async function compact(step: Step, engine: Engine, budget: number, older: Summary | null): Promise<Summary> {
  const kept = await buildPrompt(step, Math.floor(budget / 2), older, engine.abilities)
  const whole = await buildPrompt(step, Infinity, older, engine.abilities)
  const skipped = older ? 1 : 0 // The older summary itself, which is passed on separately.
  const messages = whole.messages.slice(skipped, whole.messages.length - kept.messages.length + skipped)
  const round = Math.max(500, Math.floor(budget * 0.6))
  const summarised = await summarise(step, engine, { before: older?.text ?? '', messages, budget: round })
  // Less fits into half of the budget than into all of it, so something is left out here too.
  return storeSummary(step, engine, summarised, kept.left_out!)
}

/** Shortens the oldest tool results until the prompt fits; null if nothing was shortened. */
function shortenResults(messages: readonly PromptMessage[], budget: number): PromptMessage[] | null {
  let tokens = messages.reduce((sum, message) => sum + messageTokens(message), 0)
  if (tokens <= budget) return null
  let changed = false
  const shortened = messages.map((message): PromptMessage => {
    if (message.role !== 'tool' || tokens <= budget) return message
    const results = message.results.map((result) =>
      result.output.length <= SHORTENED
        ? result
        : {
            ...result,
            output: `${result.output.slice(0, SHORTENED)}\n[shortened: ${result.output.length} characters in all]`,
          },
    )
    const after = { ...message, results }
    const saved = messageTokens(message) - messageTokens(after)
    tokens -= saved
    changed ||= saved > 0
    return after
  })
  return changed ? shortened : null
}

/** Records what the parsers reported about the attachments and how much of them the model is shown. */
async function remember(step: Step, prompt: Prompt): Promise<void> {
  if (prompt.parsing.length === 0) return
  const { row } = step.run
  const attachments = {
    ...(JSON.parse(row.attachments) as object),
    parsing: prompt.parsing,
    context: prompt.context,
  }
  await step.store.write(step, async (trx) => {
    await trx
      .updateTable('run')
      .set({ attachments: JSON.stringify(attachments) })
      .where('run_id', '=', row.run_id)
      .execute()
  })
}
