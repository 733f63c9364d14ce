import { readSummary, storeSummary, summarise } from './compaction.ts'
import { costOf, type Engine, type PromptMessage, type PromptTool, type StepRequest } from './model.ts'
import type { UserPolicy } from './policy.ts'
import { buildPrompt, type Prompt, type Summary } from './prompt.ts'
import type { RunPorts } from './run-ports.ts'
import type { StoredRun } from './run-store.ts'
import { sayNotice } from './say-notice.ts'
import { systemPrompt } from './system-prompt.ts'
import { messageTokens, textTokens, toolTokens } from './tokens.ts'

/** Share of the model's context that a prompt may fill; the rest is for the answer. */
const PROMPT_SHARE = 0.75
/** What an earlier tool result is shortened to when the answer so far no longer fits. */
const SHORTENED = 1500

/** The prompt of the next step; where the conversation no longer fits, its older part is summarised first, and that is shown. */
export async function prepareStep(
  ports: RunPorts,
  run: StoredRun,
  engine: Engine,
  policy: UserPolicy,
  tools: readonly PromptTool[],
  scale: number,
  signal: AbortSignal,
): Promise<StepRequest> {
  const { db, attachments } = ports
  const { row } = run
  const system = systemPrompt(policy, new Date())
  const budget =
    engine.context_tokens === null
      ? null
      : Math.max(500, Math.floor(engine.context_tokens * PROMPT_SHARE * scale) - toolTokens(tools) - textTokens(system))
  let summary = budget === null ? null : await readSummary(db, row)
  let prompt = await buildPrompt(db, attachments, row, budget, summary, signal)
  if (row.step === 0) await remember(ports, run, prompt)
  if (budget !== null && prompt.left_out !== (summary?.through_message_id ?? null)) {
    summary = await compact(ports, run, engine, budget, summary, policy.language, signal)
    prompt = await buildPrompt(db, attachments, row, budget, summary, signal)
  }
  const shortened = budget === null ? null : shortenResults(prompt.messages, budget - textTokens(summary?.text ?? ''))
  if (shortened) await sayNotice(ports, run, 'results_shortened')
  return { system, messages: shortened ?? prompt.messages, tools, language: policy.language }
}

/** Summarises what does not fit into half of the budget, so that the next messages fit without doing it again. */
async function compact(
  ports: RunPorts,
  run: StoredRun,
  engine: Engine,
  budget: number,
  older: Summary | null,
  language: string,
  signal: AbortSignal,
): Promise<Summary> {
  const { db, attachments } = ports
  const kept = await buildPrompt(db, attachments, run.row, Math.floor(budget / 2), older, signal)
  const whole = await buildPrompt(db, attachments, run.row, Infinity, older, signal)
  const skipped = older ? 1 : 0 // The older summary itself, which is handed on by itself.
  const messages = whole.messages.slice(skipped, whole.messages.length - kept.messages.length + skipped)
  const round = Math.max(500, Math.floor(budget * 0.6))
  const { text, ...usage } = await summarise(engine, older?.text ?? '', messages, round, language, signal)
  // Less fits into half of the budget than into all of it, so something is left out here as well.
  const summary = { text, through_message_id: kept.left_out! }
  await storeSummary(db, run.row, summary, usage)
  const { model } = engine
  if (model !== null) {
    const used = { ...usage, cost_micros: costOf(engine, usage) }
    await db.transaction((trx) => ports.usage.tokens(trx, run.row.user_id, model, used))
  }
  await sayNotice(ports, run, 'context_compacted', text)
  return summary
}

/** Shortens the oldest tool results until the prompt fits; null when nothing had to be. */
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

/** Records what the parsers said of the attachments and what of them the model sees. */
async function remember(ports: RunPorts, run: StoredRun, prompt: Prompt): Promise<void> {
  if (prompt.parsing.length === 0) return
  const attachments = {
    ...(JSON.parse(run.row.attachments) as object),
    parsing: prompt.parsing,
    context: prompt.context,
  }
  await ports.db.read
    .updateTable('run')
    .set({ attachments: JSON.stringify(attachments) })
    .where('run_id', '=', run.row.run_id)
    .execute()
}
