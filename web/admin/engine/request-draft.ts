import type { EngineRequest } from '../../../contract/engines.ts'

/** How requests are made, as typed. */
export interface RequestDraft {
  /** One `Name: value` a line. */
  readonly headers: string
  /** One `name=value` a line. */
  readonly query: string
  /** Empty: as the provider has it. */
  readonly max_output: string
  /** Empty: as the provider has it. */
  readonly effort: EngineRequest['effort'] | ''
  readonly cache: boolean
  readonly count_tokens: boolean
  readonly ollama: boolean
}
export type RequestFault = 'headers' | 'query' | 'max_output'

export const USUAL_REQUEST: RequestDraft = {
  headers: '',
  query: '',
  max_output: '',
  effort: '',
  cache: false,
  count_tokens: true,
  ollama: false,
}

export function requestDraftOf(request: EngineRequest): RequestDraft {
  const { headers, query, max_output_tokens, effort, cache, count_tokens, ollama } = request
  return {
    headers: headers.map(({ name, value }) => `${name}: ${value}`).join('\n'),
    query: query.map(({ name, value }) => `${name}=${value}`).join('\n'),
    max_output: max_output_tokens === null ? '' : String(max_output_tokens),
    effort: effort ?? '',
    cache,
    count_tokens,
    ollama,
  }
}

export function requestFaults({ headers, query, max_output }: RequestDraft): RequestFault[] {
  const faults: RequestFault[] = []
  if (pairs(headers, ':')?.every(({ name, value }) => /^[\w-]+$/.test(name) && /^[ -~]*$/.test(value)) !== true)
    faults.push('headers')
  if (pairs(query, '=') === null) faults.push('query')
  if (max_output.trim() !== '' && !/^[1-9]\d{0,6}$/.test(max_output.trim())) faults.push('max_output')
  return faults
}

/** What is sent; only for a draft without faults. */
export function requestOf(draft: RequestDraft): EngineRequest {
  return {
    headers: pairs(draft.headers, ':') ?? [],
    query: pairs(draft.query, '=') ?? [],
    max_output_tokens: draft.max_output.trim() === '' ? null : Number(draft.max_output),
    effort: draft.effort || null,
    cache: draft.cache,
    count_tokens: draft.count_tokens,
    ollama: draft.ollama,
  }
}

/** Name and value of each line that is not empty; null: a line has no mark between them, or no name. */
function pairs(text: string, mark: string): { name: string; value: string }[] | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const found = lines.map((line) => {
    const at = line.indexOf(mark)
    return { name: line.slice(0, Math.max(at, 0)).trim(), value: line.slice(at + 1).trim() }
  })
  return found.every(({ name }) => name !== '') ? found : null
}
