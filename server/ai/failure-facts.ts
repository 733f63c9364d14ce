import { EngineError } from '../chat/ports/model.ts'
import { GuardedFetchError } from '../kernel/network/guarded-fetch.ts'
import { isPage, saidIn, secondsIn } from './failure-words.ts'

/** What an error tells us, wherever it says so: an error of the SDK, a provider's error document, a network failure. */
export interface FailureFacts {
  /** Set when one of our own errors (a missed deadline) is somewhere inside. */
  engineError: EngineError | null
  /** Why there was no connection, when that is what failed. */
  connection: GuardedFetchError | null
  /** HTTP status, including one given inside a stream that began with 200; null when there is none. */
  status: number | null
  /** For a person to read. */
  message: string
  /** All text found, including names of errors, codes and body, for searching. */
  text: string
  /** Class name of the outermost error. */
  name: string
  /** Seconds; null when the provider does not say. */
  retryAfter: number | null
  /** A web page came instead of an error document: whatever stands in front of the provider answered. */
  page: boolean
}

/** Characters of an answer's body that are searched. */
const BODY = 20_000

/** Fields that repeat the failure or hold its details. */
const INNER = ['error', 'data', 'cause', 'lastError', 'value', 'response'] as const

export function failureFacts(error: unknown): FailureFacts {
  const facts: FailureFacts = {
    engineError: null,
    connection: null,
    status: null,
    message: '',
    text: '',
    name: '',
    retryAfter: null,
    page: false,
  }
  if (error instanceof Error) facts.name = error.name
  gather(error, facts, 0)
  // What a header says is meant for programs; the same in words is rarer, but all that some say.
  facts.retryAfter ??= secondsIn(facts.text)
  return facts
}

function gather(error: unknown, facts: FailureFacts, depth: number): void {
  if (error instanceof EngineError) facts.engineError ??= error
  if (error instanceof GuardedFetchError) facts.connection ??= error
  if (typeof error === 'string') note(facts, error)
  if (typeof error !== 'object' || error === null || depth > 6) return
  const fields = error as Record<string, unknown>
  if (error instanceof Error) facts.text += ` ${error.name}`
  if (typeof fields.responseBody === 'string') {
    const body = fields.responseBody.slice(0, BODY)
    facts.page ||= isPage(body)
    // The packages know one form of error document, and have nothing to say about all others.
    note(facts, saidIn(body))
    facts.text += ` ${body}`
  }
  note(facts, fields.message)
  for (const key of ['type', 'code', 'status'] as const) {
    if (typeof fields[key] === 'string') facts.text += ` ${fields[key]}`
  }
  for (const key of ['statusCode', 'status', 'code'] as const) facts.status ??= httpStatus(fields[key])
  facts.retryAfter ??= retryAfter(fields.responseHeaders)
  for (const key of INNER) gather(fields[key], facts, depth + 1)
}

function note(facts: FailureFacts, text: unknown): void {
  if (typeof text !== 'string') return
  facts.message ||= text
  facts.text += ` ${text}`
}

function httpStatus(value: unknown): number | null {
  const status = typeof value === 'string' && /^[45]\d\d$/.test(value) ? Number(value) : value
  return typeof status === 'number' && status >= 400 && status <= 599 ? status : null
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date, as seconds from now, rounded up. */
function retryAfter(headers: unknown): number | null {
  if (typeof headers !== 'object' || headers === null) return null
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
  const milliseconds = Number(named['retry-after-ms'] ?? Number.NaN)
  if (milliseconds >= 0) return Math.ceil(milliseconds / 1000)
  const given = named['retry-after']
  if (given === undefined) return null
  const seconds = Number(given)
  if (seconds >= 0) return Math.ceil(seconds)
  const date = Date.parse(given)
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1000))
}
