import type { Caller } from '../../../contract/route.ts'
import { EngineError, type Engine, type Model } from '../../chat/ports/model.ts'
import type { Policy } from '../../chat/ports/policy.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { hashOf } from '../../kernel/text/canonical.ts'
import { labelPrompt, readLabels, type LabelRequest } from './label-prompt.ts'
import { ruleLabels } from './rule-labels.ts'

export interface TableLabelsOptions {
  readonly model: Model
  readonly policy: Policy
  /** Counts the use of the engine, and says whether any quota is left; omitted: no counting and no limit. */
  readonly meter?: {
    hasLeft(caller: Caller, engine: Engine): Promise<boolean>
    metered(engine: Engine, caller: Caller): Engine
  }
  /** Milliseconds for an engine, both attempts together. */
  readonly timeout_ms?: number
}

export interface TableLabels {
  /**
   * Labels for the keys, from the engine in the caller's language, or by rule if there is no engine or the caller may
   * not use it.
   * @throws {AppError} ai_unavailable when an engine is configured and gives no usable answer
   */
  label(
    caller: Caller,
    wanted: Omit<LabelRequest, 'language'>,
  ): Promise<{ labels: ReadonlyMap<string, string>; ai_generated: boolean }>
}

const TIMEOUT_MS = 30_000
const REMEMBERED = 300
const ATTEMPTS = 2
/** Far more than 200 labels need. */
const ANSWER_LENGTH = 100_000

/** Labels for columns. An engine's answer is remembered, and concurrent callers share one request. */
export function createTableLabels({ model, policy, meter, timeout_ms = TIMEOUT_MS }: TableLabelsOptions): TableLabels {
  const remembered = new Map<string, Promise<ReadonlyMap<string, string>>>()

  async function mayUseEngine(caller: Caller): Promise<boolean> {
    const { user_id, scope, kind } = caller
    const engine = model.naming(caller.role_id)
    if (engine.ai_mode !== 'model') return false
    if (meter !== undefined && !(await meter.hasLeft(caller, engine))) return false
    // A rule that asks has no user to ask here: labels don't justify an approval card.
    return (await policy.forUser(user_id, scope, kind))?.permission('codex.use').effect === 'allow'
  }

  function byEngine(caller: Caller, request: LabelRequest): Promise<ReadonlyMap<string, string>> {
    const engine = model.naming(caller.role_id)
    const key = hashOf([engine.engine_id, engine.model, request])
    const known = remembered.get(key)
    remembered.delete(key)
    const labels = known ?? askEngine(meter?.metered(engine, caller) ?? engine, request, timeout_ms)
    remembered.set(key, labels)
    if (known === undefined) {
      labels.catch(() => remembered.get(key) === labels && remembered.delete(key))
      const [oldest] = remembered.keys()
      if (remembered.size > REMEMBERED) remembered.delete(oldest!)
    }
    return labels
  }

  return {
    async label(caller, wanted) {
      const keys = [...new Set(wanted.keys)]
      if (!(await mayUseEngine(caller))) return { labels: ruleLabels(keys), ai_generated: false }
      const labels = await byEngine(caller, { ...wanted, keys, language: caller.language })
      return { labels, ai_generated: true }
    },
  }
}

/** Twice, because an engine that omits a key mostly includes it the second time. */
async function askEngine(
  engine: Engine,
  request: LabelRequest,
  timeout_ms: number,
): Promise<ReadonlyMap<string, string>> {
  const signal = AbortSignal.timeout(timeout_ms)
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const labels = readLabels(await answerOf(engine, request, signal), request.keys)
      if (labels !== null) return labels
    }
  } catch (error) {
    if (signal.aborted) throw unavailable(say`It did not answer in time.`, error)
    if (error instanceof EngineError) throw unavailable(error.detail, error, error.retryAfter)
    throw error
  }
  throw unavailable(say`Its answer was not in the requested form.`, undefined)
}

async function answerOf(engine: Engine, request: LabelRequest, signal: AbortSignal): Promise<string> {
  const { system, text } = labelPrompt(request)
  const messages = [{ role: 'user', content: [{ type: 'text', text }] }] as const
  let answer = ''
  for await (const chunk of engine.step({ system, messages, tools: [], language: request.language }, signal)) {
    if (chunk.type === 'text') answer += chunk.text
    if (answer.length > ANSWER_LENGTH) break
  }
  return answer
}

function unavailable(why: Sentence, cause: unknown, retryAfter: number | null = null): AppError {
  const sentence = say`The AI engine could not name the columns. ${why} Their keys can be used in the meantime.`
  return new AppError('ai_unavailable', sentence, { cause, ...(retryAfter === null ? {} : { retryAfter }) })
}
