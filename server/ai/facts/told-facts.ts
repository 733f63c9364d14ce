import type { EngineSetting } from '../engine-setting.ts'
import { withRequest } from '../engine-request.ts'
import { keyHeaders } from '../key-headers.ts'
import { baseUrl } from '../load-provider.ts'
import { jsonValue } from '../../kernel/text/json-value.ts'
import { watchedFetch } from '../watched-fetch.ts'
import type { FactValues } from './fact-rows.ts'

/** Milliseconds for one answer. */
const TIME_LIMIT = 5000
/** Bytes of one answer: the lists of large providers have some hundred thousand. */
const MOST = 4_000_000

type Fields = Record<string, unknown>

/**
 * What an engine says of a model by itself: in its list of models, and where local servers say more (Ollama, LM Studio,
 * llama.cpp). Empty where it says nothing. Never rejects for what the engine answers.
 */
export async function toldFacts(engine: EngineSetting, signal: AbortSignal): Promise<FactValues> {
  const { provider, model, api_key, request } = engine
  const base = baseUrl(engine)
  const limits = { timeout_ms: TIME_LIMIT, idle_timeout_ms: TIME_LIMIT, maxBytes: MOST }
  const fetch = withRequest(watchedFetch(limits), request, api_key)
  const ask = async (url: string, body?: object): Promise<unknown> => {
    try {
      const response = await fetch(url, {
        headers: { ...keyHeaders(provider, api_key), ...(body && { 'content-type': 'application/json' }) },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT)]),
      })
      const text = await response.text()
      return response.ok ? jsonValue(text) : null
    } catch {
      signal.throwIfAborted()
      return null
    }
  }
  const name = encodeURIComponent(model)
  if (provider === 'google') return ofGoogle(fields(await ask(`${base}/models/${name}`)))
  if (provider === 'anthropic') return ofList(fields(await ask(`${base}/models/${name}`)))
  const listed = find(await ask(`${base}/models`), model)
  if (provider === 'openai') return ofList(listed)
  const root = base.replace(/\/v1$/, '')
  // What a server is asked for in another's way, it answers with an error or a page.
  const [shown, running, studio, props] = await Promise.all([
    ask(`${root}/api/show`, { model }),
    ask(`${root}/api/ps`),
    ask(`${root}/api/v0/models/${name}`),
    ask(`${root}/props`),
  ])
  return {
    ...ofList(listed),
    ...ofLlama(fields(props)),
    ...ofStudio(fields(studio)),
    ...ofOllama(fields(shown), request.ollama ? null : find(running, model)),
  }
}

/** OpenRouter, vLLM, Mistral, Groq, LiteLLM and others, by the names of their fields. */
function ofList(one: Fields): FactValues {
  const context = ['context_length', 'max_model_len', 'max_context_length', 'context_window', 'max_input_tokens'].map(
    (name) => count(one[name]),
  )
  const parameters = words(one.supported_parameters)
  const modalities = words(fields(one.architecture).input_modalities)
  const can = fields(one.capabilities)
  return known({
    context: context.find((value) => value !== null) ?? null,
    tools: parameters === null ? flag(can.function_calling ?? can.tools) : has(parameters, 'tools'),
    pictures: modalities === null ? flag(can.vision ?? fields(can.image_input).supported) : has(modalities, 'image'),
    reasoning: parameters === null ? flag(can.reasoning) : has(parameters, 'reasoning'),
  })
}

function ofGoogle(one: Fields): FactValues {
  return known({ context: count(one.inputTokenLimit), reasoning: flag(one.thinking) })
}

/**
 * `/api/show`, and what it runs with now: of that many tokens it reads the last, whatever else it could. `running` null:
 * each request says how many it is to read.
 */
function ofOllama(shown: Fields, running: Fields | null): FactValues {
  const can = words(shown.capabilities)
  if (can === null) return {}
  const set = typeof shown.parameters === 'string' ? /^num_ctx\s+(\d+)/m.exec(shown.parameters)?.[1] : undefined
  const most = Object.entries(fields(shown.model_info)).find(([name]) => name.endsWith('.context_length'))?.[1]
  return known({
    context: running === null ? count(most) : (count(running.context_length) ?? count(Number(set)) ?? count(most)),
    tools: has(can, 'tools'),
    pictures: has(can, 'vision'),
    reasoning: has(can, 'thinking'),
  })
}

function ofStudio(one: Fields): FactValues {
  if (typeof one.type !== 'string') return {}
  const can = words(one.capabilities)
  return known({
    context: count(one.loaded_context_length) ?? count(one.max_context_length),
    pictures: one.type === 'vlm' ? 1 : one.type === 'llm' ? 0 : null,
    tools: can === null ? null : has(can, 'tool_use'),
  })
}

function ofLlama(props: Fields): FactValues {
  const settings = fields(props.default_generation_settings)
  return known({ context: count(settings.n_ctx), pictures: flag(fields(props.modalities).vision) })
}

/** The entry of a list that is about this model, however the list is called and its entries name themselves. */
function find(answer: unknown, model: string): Fields {
  const { data, models } = fields(answer)
  const list = Array.isArray(data) ? data : Array.isArray(models) ? models : Array.isArray(answer) ? answer : []
  const entries = list.map(fields)
  const named = (name: unknown) => name === model || name === `${model}:latest` || name === `models/${model}`
  return entries.find((one) => named(one.id) || named(one.name) || named(one.model)) ?? {}
}

function known(values: FactValues): FactValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function words(value: unknown): string[] | null {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : null
}

function has(list: readonly string[], word: string): number {
  return list.includes(word) ? 1 : 0
}

function flag(value: unknown): number | null {
  return typeof value === 'boolean' ? Number(value) : null
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 100_000_000 ? value : null
}
