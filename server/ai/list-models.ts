import { z } from 'zod'
import type { EngineRequest } from '../../contract/engines.ts'
import { AppError } from '../kernel/app-error.ts'
import { GuardedFetchError } from '../kernel/network/guarded-fetch.ts'
import { say } from '../kernel/sentence.ts'
import type { AiProvider } from './engine-setting.ts'
import { engineFailure } from './engine-failure.ts'
import { engineProblem } from './engine-problem.ts'
import { withRequest } from './engine-request.ts'
import { keyHeaders } from './key-headers.ts'
import { baseUrl } from './load-provider.ts'
import { watchedFetch } from './watched-fetch.ts'
import { jsonValue } from '../kernel/text/json-value.ts'

const TIME_LIMIT = 15_000
/** Bytes: the lists of large providers have some hundred thousand. */
const MOST_BYTES = 4 * 1024 * 1024
const MOST = 2000

const Text = z.string().max(500)
/** `data`: OpenAI and compatible ones, Anthropic. `models`: Google. */
const Listed = z.object({
  data: z
    .array(
      z.object({ id: Text, display_name: Text.optional().catch(undefined), name: Text.optional().catch(undefined) }),
    )
    .optional(),
  models: z
    .array(
      z.object({
        name: Text,
        displayName: Text.optional(),
        supportedGenerationMethods: z.array(z.string()).optional(),
      }),
    )
    .optional()
    .catch(undefined),
})

/** The models a provider offers, by name. @throws {AppError} ai_unavailable */
export async function listModels(
  connection: {
    readonly provider: AiProvider
    readonly base_url: string | null
    readonly api_key: string | null
    readonly request: EngineRequest
  },
  signal: AbortSignal,
): Promise<{ id: string; name: string }[]> {
  const { provider, api_key, request } = connection
  const paged = provider === 'google' ? '?pageSize=1000' : provider === 'anthropic' ? '?limit=1000' : ''
  try {
    const fetch = watchedFetch({ timeout_ms: TIME_LIMIT, idle_timeout_ms: TIME_LIMIT, maxBytes: MOST_BYTES })
    const response = await withRequest(
      fetch,
      request,
      api_key,
    )(`${baseUrl(connection)}/models${paged}`, {
      headers: keyHeaders(provider, api_key),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT)]),
    })
    const text = await response.text()
    if (!response.ok) throw refusal(response.status, text)
    const { data, models } = Listed.parse(JSON.parse(text))
    const found = data
      ? data.map(({ id, display_name, name }) => ({ id, name: display_name ?? name ?? id }))
      : (models ?? [])
          .filter(({ supportedGenerationMethods: methods }) => methods?.includes('generateContent') ?? true)
          .map(({ name, displayName }) => ({ id: name.replace(/^models\//, ''), name: displayName ?? name }))
    return found.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, MOST)
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError)
      throw new AppError(
        'ai_unavailable',
        say`There is no list of models at this address. Enter the name of the model.`,
      )
    // That something answers, and with what, says more than that no engine does.
    if (error instanceof GuardedFetchError && error.code === 'too_large')
      throw new AppError('ai_unavailable', say`${error.detail} Enter the name of the model.`)
    const failure = engineFailure(error, api_key)
    const detail =
      failure.code === 'engine_model'
        ? say`This engine has no list of models. Enter the name of the model.`
        : engineProblem(failure).detail
    throw new AppError('ai_unavailable', detail)
  }
}

/**
 * Shaped like the SDK's error, so that one place interprets both: what the provider said is the message in its document,
 * else all it answered.
 */
function refusal(status: number, text: string): Error {
  const error = new Error('', { cause: text.slice(0, 500) })
  return Object.assign(error, { statusCode: status, responseBody: text.slice(0, 2000), data: jsonValue(text) })
}
