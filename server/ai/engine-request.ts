import { EngineRequest } from '../../contract/engines.ts'

/** What stands for the key in the value of a header. */
const KEY = '{key}'
/** Where the packages put the key by themselves. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key'] as const

/** As most providers want it. */
export const USUAL_REQUEST: EngineRequest = EngineRequest.parse({})

/** What is stored or set by the environment: what is not said is as usual. @throws {Error} with a sentence for the operator */
export function readEngineRequest(text: string): EngineRequest {
  const read = EngineRequest.safeParse(jsonOf(text))
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new Error(`REEVE_AI_REQUEST is not usable: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`)
}

/** Only what differs from the usual, so that a later default holds for what nobody has set. `ollama` has its own column. */
export function storedRequest(request: EngineRequest): string {
  const differs = Object.entries(request).filter(
    ([name, value]) =>
      name !== 'ollama' && JSON.stringify(value) !== JSON.stringify(USUAL_REQUEST[name as keyof EngineRequest]),
  )
  return JSON.stringify(Object.fromEntries(differs))
}

/**
 * Adds the engine's headers and query to each request. Where a header holds the key (Azure's `api-key`), it is sent there
 * only.
 */
export function withRequest(
  fetch: typeof globalThis.fetch,
  { headers, query }: EngineRequest,
  api_key: string | null,
): typeof globalThis.fetch {
  if (headers.length === 0 && query.length === 0) return fetch
  return (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    for (const { name, value } of query) url.searchParams.set(name, value)
    const all = new Headers(init?.headers)
    if (headers.some(({ value }) => value.includes(KEY))) for (const name of KEY_HEADERS) all.delete(name)
    for (const { name, value } of headers)
      all.set(
        name,
        value.replaceAll(KEY, () => api_key ?? ''),
      )
    return fetch(url, { ...init, headers: all })
  }
}

function jsonOf(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    throw new Error(
      'REEVE_AI_REQUEST is not JSON, such as {"query": [{"name": "api-version", "value": "2024-10-21"}]}.',
    )
  }
}
