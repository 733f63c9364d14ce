import type { Engine, ModelLesson, StepChunk, StepRequest } from '../chat/ports/model.ts'
import { EngineError } from '../chat/ports/model.ts'
import { say } from '../kernel/sentence.ts'
import type { EngineSetting } from './engine-setting.ts'
import { engineFailure } from './engine-failure.ts'
import { abilitiesOf, contextOf, type ModelFacts, NO_FACTS } from './facts/model-facts.ts'
import { baseUrl, loadProvider } from './load-provider.ts'
import { promptMessages } from './prompt-messages.ts'
import type { ProviderModel, ProviderRequest } from './provider-model.ts'
import { stepChunks } from './reading/step-chunks.ts'
import { textMarks } from './reading/text-marks.ts'
import { toolNames } from './tool-names.ts'
import { toolSchema } from './tool-schema.ts'

/**
 * A configured provider behind the Engine port: one step is one streamed request. The provider's package is given tool
 * descriptions but nothing to execute, and never retries: the loop, the policy and failure handling belong to the
 * runner.
 */
export function providerEngine(
  config: EngineSetting & { readonly engine_id?: string; readonly name?: string },
  facts: ModelFacts = NO_FACTS,
  learn: (lesson: ModelLesson) => Promise<void> = () => Promise.resolve(),
): Engine & { warmUp(): Promise<void> } {
  // Reports an unusable address at start-up rather than in the first chat.
  baseUrl(config)
  // Two engines may have the same model of the same provider, and each knows only its own ids and signatures.
  const id = `${config.engine_id ?? ''}/${config.provider}/${config.model}`
  let loading: Promise<ProviderModel> | undefined
  const context_tokens = contextOf(config.context_tokens, facts)
  const load = () => (loading ??= loadProvider({ ...config, context_tokens }))

  async function* step(request: StepRequest, signal: AbortSignal): AsyncGenerator<StepChunk> {
    throwIfAborted(signal)
    if (config.provider !== 'openai-compatible' && !config.api_key) {
      throw new EngineError(
        'engine_no_key',
        say`The AI engine has no API key. An administrator must enter one under Administration, AI engines.`,
      )
    }
    // Always aborted at the end, so that a consumer that stops reading leaves no request running.
    const stop = new AbortController()
    try {
      const model = await load()
      const names = toolNames([...request.tools.map((tool) => tool.name), ...(request.others ?? [])])
      const tools = request.tools.map((tool) => ({
        type: 'function' as const,
        name: names.safe(tool.name),
        description: tool.description,
        inputSchema: toolSchema(tool.input_schema),
      }))
      const { stream } = await model.doStream({
        prompt: [{ role: 'system', content: request.system }, ...promptMessages(request.messages, names, id)],
        ...(tools.length > 0 ? { tools, toolChoice: { type: 'auto' } } : {}),
        ...requestOptions(config),
        abortSignal: AbortSignal.any([signal, stop.signal]),
      })
      const chunks = stepChunks(stream, names, id)
      yield* config.provider === 'openai-compatible' ? textMarks(chunks, names) : chunks
    } catch (error) {
      throwIfAborted(signal)
      throw engineFailure(error, config.api_key)
    } finally {
      stop.abort()
    }
    throwIfAborted(signal)
  }

  return {
    ai_mode: 'model',
    engine_id: config.engine_id ?? '',
    name: config.name ?? config.model,
    model: config.model,
    context_tokens,
    price: config.price,
    abilities: abilitiesOf(facts),
    learn,
    step,
    warmUp: async () => void (await load()),
  }
}

function requestOptions({ provider, request }: EngineSetting): Partial<ProviderRequest> {
  const { max_output_tokens, effort, cache } = request
  return {
    ...(max_output_tokens !== null && { maxOutputTokens: max_output_tokens }),
    ...(effort !== null && { reasoning: effort }),
    // Nothing stays at OpenAI: reasoning comes back encrypted and is sent along with the next step.
    ...(provider === 'openai' && { providerOptions: { openai: { store: false } } }),
    // What ends here is the beginning of the next step's request.
    ...(provider === 'anthropic' &&
      cache && { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } }),
  }
}

function throwIfAborted(signal: AbortSignal): void {
  if (!signal.aborted) return
  const reason: unknown = signal.reason
  throw reason instanceof Error && reason.name === 'AbortError'
    ? reason
    : new DOMException('the step was cancelled', 'AbortError')
}
