import type { EngineFailure } from '../../contract/engine-failures.ts'
import { EngineError } from '../chat/ports/model.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import { cut } from '../kernel/text/plain-text.ts'
import { failureFacts, type FailureFacts } from './failure-facts.ts'

/**
 * How providers say that a request does not fit: OpenAI, vLLM and most hosted ones (maximum context length, context
 * window), Anthropic (prompt is too long, exceed context limit), Google (input token count), llama.cpp (available
 * context size), Ollama and LM Studio (context length, context overflows), Mistral (too large for model), TGI
 * (max_new_tokens).
 */
const TOO_LONG =
  /context_length_exceeded|exceed_context_size|maximum context length|context window|exceeds? (?:the )?(?:available )?context|(?:available|exceeds?.{0,30}) context size|exceeds? (?:the )?context (?:length|limit)|context (?:the )?overflow|prompt is too long|prompt too long|input is too long|request_too_large|input token count.{0,40}exceeds|maximum (?:prompt|model) length|longer than the maximum model length|too large for model with|max_new_tokens.{0,20}must be <=|reduce the length of the (?:messages|prompt)/i
/** Google answers 400 for a wrong key. */
const REFUSED_KEY = /authentication_error|invalid_api_key|permission_error|API key not valid|API_KEY_INVALID/
const NO_MONEY = /insufficient_quota|billing|credit balance|payment required/i
/** How the packages of the SDK say that what came is no answer. */
const UNREADABLE = /JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody|NoContentGenerated/
/** How providers name an error of their own inside a stream. */
const OWN_ERROR = /server_error|overloaded|api_error|internal error/i
const BROKEN = /ECONNRESET|EPIPE|UND_ERR_SOCKET/
/** Keys as providers repeat them, with their middle hidden. */
const HALF_A_KEY = /\S*\*{2,}\S*/g

/**
 * Why a step failed, as the runner needs it. Its sentence names the status and what the provider said, never the key.
 * The SDK's error is not kept as the cause because it holds the whole request.
 */
export function engineFailure(error: unknown, apiKey: string | null): EngineError {
  const facts = failureFacts(error)
  if (facts.engineError !== null) return facts.engineError
  const { status, retryAfter } = facts
  const said = facts.connection?.detail ?? clean(facts.message, apiKey)
  const code = codeOf(facts)
  const what = sentenceOf(code, status)
  // What a provider says about a key it refuses may hold part of it: it stays out of what programs log.
  const detail =
    said === '' || code === 'engine_key'
      ? what
      : facts.connection
        ? say`${what} ${said}`
        : say`${what} It said: ${said}`
  return new EngineError(code, detail, { retryAfter, said })
}

function codeOf(facts: FailureFacts): EngineFailure {
  const { status, text, name, connection } = facts
  if (status === 401 || status === 403 || REFUSED_KEY.test(text)) return 'engine_key'
  if (status === 402 || (NO_MONEY.test(text) && (status === 429 || status === 400))) return 'engine_quota'
  if (asksToWait(facts)) return 'engine_rate'
  if (status === 413 || TOO_LONG.test(text)) return 'engine_context'
  if (status === 404) return 'engine_model'
  if (status === 408 || status === 504) return 'engine_timeout'
  if (isRefusal(facts)) return 'engine_refused'
  if (status !== null) return 'engine_error'
  if (connection?.code === 'too_large') return 'engine_answer'
  if (connection !== null) return BROKEN.test(text) ? 'engine_cut' : 'engine_network'
  // A plain error is a package that is at a loss about what it has read.
  const unreadable = name === 'Error' || UNREADABLE.test(text)
  return unreadable && !OWN_ERROR.test(text) ? 'engine_answer' : 'engine_error'
}

/** Too many requests, or too much to do: the same request may be answered later. 529 is Anthropic's for the latter. */
function asksToWait({ status, text, retryAfter }: FailureFacts): boolean {
  if (status === null) return /rate_limit|too many requests|RESOURCE_EXHAUSTED|overloaded_error/i.test(text)
  return status === 429 || status === 529 || (status === 503 && retryAfter !== null)
}

function sentenceOf(code: EngineFailure, status: number | null): Sentence {
  switch (code) {
    case 'engine_key':
      return say`The AI provider refused the API key. An administrator must enter a valid one.`
    case 'engine_quota':
      return say`The AI provider says that the account has no credit left.`
    case 'engine_rate':
      return status === null || status === 429
        ? say`The AI provider is limiting the rate of requests.`
        : say`The AI engine answered with status ${status}.`
    case 'engine_context':
      return say`The conversation is too long for the model.`
    case 'engine_model':
      return say`The AI provider does not know this model or address.`
    case 'engine_refused':
      return say`The AI provider refused the request.`
    case 'engine_answer':
      return say`The AI engine’s answer could not be used.`
    case 'engine_cut':
      return say`The AI engine broke off in the middle of its answer.`
    case 'engine_network':
      return say`The AI engine is not reachable.`
    default:
      return status === null
        ? say`The AI engine reported an error.`
        : say`The AI engine answered with status ${status}.`
  }
}

/** The SDK itself refuses some requests (a picture in a format the provider does not accept); that is not an outage. */
function isRefusal({ status, text, name }: FailureFacts): boolean {
  if (status === 409 || status === 425) return false
  if (status !== null) return status >= 400 && status < 500
  return (
    /UnsupportedFunctionality|InvalidPrompt|InvalidArgument/.test(name) ||
    /invalid_request_error|INVALID_ARGUMENT/.test(text)
  )
}

/** The message on one line, without the key. */
function clean(message: string, apiKey: string | null): string {
  const without = apiKey ? message.replaceAll(apiKey, '***') : message
  return cut(without.replace(HALF_A_KEY, '***').replace(/\s+/g, ' ').trim(), 500)
}
