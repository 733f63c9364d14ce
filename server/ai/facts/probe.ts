import { EngineError, type StepRequest } from '../../chat/ports/model.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { engineProblem } from '../engine-problem.ts'
import type { EngineSetting } from '../engine-setting.ts'
import { providerEngine } from '../provider-engine.ts'
import { numberRequest, TWO_CALLS } from '../test-request.ts'
import type { FactValues } from './fact-rows.ts'
import { contextWithin, type ModelFacts } from './model-facts.ts'
import { anyNumber, numberPicture } from './number-picture.ts'
import { toldFacts } from './told-facts.ts'

/** Milliseconds until the first byte and between two pieces; a local model may have to be loaded. */
const TIME_LIMIT = 45_000
/** Of the whole probe. */
const TOTAL = 60_000

export interface Probed {
  readonly told: FactValues
  readonly tried: FactValues
  /** Why it could not be tried; null: it could. */
  readonly problem: Sentence | null
}

/**
 * Finds out what a model can do: from what its engine says, and with two small requests, of some 200 tokens each. What
 * stays open is tried by the first run that needs it. @throws the reason of `signal`
 */
export async function probe(config: EngineSetting, known: ModelFacts, signal: AbortSignal): Promise<Probed> {
  // Ollama loads a model anew for another context: it is tried with the one that runs will ask for from now on.
  const first = config.request.ollama ? await toldFacts(config, signal) : null
  const set = known.get('context')
  const found = (set?.source === 'set' ? set.value : first?.context) ?? config.context_tokens
  const context_tokens = contextWithin(config.context_tokens, found)
  const engine = providerEngine({
    ...config,
    context_tokens,
    timeout_ms: TIME_LIMIT,
    idle_timeout_ms: TIME_LIMIT,
  })
  const within = AbortSignal.any([signal, AbortSignal.timeout(TOTAL)])
  const tried: FactValues = {}
  let problem: Sentence | null = null
  for (const [name, attempt] of [
    ['tools', tryTools],
    ['pictures', tryPictures],
  ] as const) {
    try {
      Object.assign(tried, await attempt((request) => read(engine.step(request, within))))
    } catch (error) {
      signal.throwIfAborted()
      const lesson = error instanceof EngineError ? error.lesson : null
      // Only what was in the request can have been refused.
      if (lesson !== null && 'lacks' in lesson && lesson.lacks === name) tried[name] = 0
      else {
        problem = error instanceof EngineError ? engineProblem(error).detail : say`It did not answer in time.`
        break
      }
    }
  }
  // Otherwise afterwards, because a local server says of a model that runs what it runs with.
  return { told: first ?? (await toldFacts(config, signal)), tried, problem }
}

interface Heard {
  readonly text: string
  readonly calls: number
  readonly thought: boolean
}
type Ask = (request: StepRequest) => Promise<Heard>

/** A call that is made shows that it can be; none shows nothing, for a model may just not want to. */
async function tryTools(ask: Ask): Promise<FactValues> {
  const { calls, thought } = await ask(TWO_CALLS)
  return {
    ...(calls > 0 && { tools: 1 }),
    ...(calls > 1 && { parallel: 1 }),
    ...(thought && { reasoning: 1 }),
  }
}

/** An answer alone shows nothing: some servers drop pictures without a word, and models guess. */
async function tryPictures(ask: Ask): Promise<FactValues> {
  const number = anyNumber()
  const { text } = await ask(numberRequest(numberPicture(number)))
  // Some write it as an amount, or digit by digit.
  const written = new RegExp(String.raw`(?<!\d)${[...number].join(String.raw`[\s,.]*`)}(?!\d)`)
  return written.test(text) ? { pictures: 1 } : {}
}

async function read(chunks: ReturnType<ReturnType<typeof providerEngine>['step']>): Promise<Heard> {
  let text = ''
  let calls = 0
  let thought = false
  for await (const chunk of chunks) {
    if (chunk.type === 'text') text += chunk.text
    if (chunk.type === 'call') calls += 1
    if (chunk.type === 'reasoning') thought = true
  }
  return { text, calls, thought }
}
