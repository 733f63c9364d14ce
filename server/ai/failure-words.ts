import { jsonValue } from '../kernel/text/json-value.ts'

/** Where servers put what they have to say, the most telling first. */
const FIELDS = ['message', 'msg', 'detail', 'error_message', 'error', 'errors'] as const

/** What a server says in the body of an error, whichever form it has; empty: nothing that a person should read. */
export function saidIn(body: string): string {
  const document = jsonValue(body)
  if (document !== undefined) return wordsOf(document, 0)
  return isPage(body) ? '' : body.trim()
}

/** Whether it is a web page, which no engine sends. */
export function isPage(body: string): boolean {
  return /^\s*<(?:!doctype|html|head|body)\b/i.test(body)
}

/** `{message}`, `{detail}`, `{error: "…"}`, `{error: {message}}`, lists of those, and an error quoted within another. */
function wordsOf(value: unknown, depth: number): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || depth > 5) return ''
  if (Array.isArray(value)) return wordsOf(value[0], depth + 1)
  const fields = value as Record<string, unknown>
  // OpenRouter says that its provider failed, and only here why.
  const { metadata } = fields
  if (typeof metadata === 'object' && metadata !== null && 'raw' in metadata && typeof metadata.raw === 'string') {
    const words = saidIn(metadata.raw)
    if (words !== '') return words
  }
  for (const field of FIELDS) {
    const words = wordsOf(fields[field], depth + 1)
    if (words !== '') return words
  }
  return ''
}

const SECONDS: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600 }

/** After how many seconds a provider wants to be asked again, where it only says so in words: `try again in 7m12s`. */
export function secondsIn(text: string): number | null {
  const delay = /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(text)?.[1]
  if (delay !== undefined) return Math.ceil(Number(delay))
  const words = /\b(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)? ?(?:ms|h|m|s)[a-z]* ?){1,4})/i.exec(text)?.[1]
  if (words === undefined) return null
  const seconds = [...words.matchAll(/(\d+(?:\.\d+)?) ?(ms|h|m|s)/gi)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * SECONDS[unit!.toLowerCase()]!,
    0,
  )
  return Math.ceil(seconds)
}
