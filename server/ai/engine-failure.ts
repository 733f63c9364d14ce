import type { EngineFailure } from '../../contract/engine-failures.ts'
import { EngineError } from '../chat/ports/model.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import { cut } from '../kernel/text/plain-text.ts'
import { failureFacts, type FailureFacts } from './failure-facts.ts'
import { lessonOf } from './failure-lesson.ts'

/**
 * How providers say that a request does not fit: OpenAI, vLLM and most hosted ones (maximum context length, context
 * window), Anthropic (prompt is too long, exceed context limit), Google (input token count), llama.cpp (available
 * context size), Ollama and LM Studio (context length, context overflows), Mistral (too large for model), TGI
 * (max_new_tokens).
 */
const TOO_LONG =
  /context_length_exceeded|exceed_context_size|maximum context length|context window|exceeds? (?:the )?(?:available )?context|(?:available|exceeds?.{0,30}) context size|exceeds? (?:the )?context (?:length|limit)|context (?:the )?overflow|prompt is too long|prompt too long|input is too long|request_too_large|input token count.{0,40}exceeds|maximum (?:prompt|model) length|longer than the maximum model length|too large for model with|max_new_tokens.{0,20}must be <=|reduce the length of the (?:messages|prompt)/i
/** Google and xAI answer 400 for a wrong key. */
const REFUSED_KEY =
  /authentication_error|invalid_api_key|permission_error|API key (?:not valid|expired)|API_KEY_INVALID|incorrect api key/i
/** Reasons for 403 that no other key would change: where the request comes from, what it says, what is in front or switched off. */
const NOT_THE_KEY =
  /country|region|territory|location is not|moderation|flagged|content policy|has not been used in|is disabled|firewall|virtual network|data policy/i
/** Those of them that are about what the request says. */
const ABOUT_CONTENT = /moderation|flagged|content policy/i
const NO_MONEY =
  /insufficient_quota|exceeded_current_quota|billing|credit balance|payment required|insufficient (?:balance|credits)|used all available credits|spending limit|key limit exceeded|credits are depleted/i
/** Words about money in what is only a limit of rate: Google's speak of plan and billing. */
const METERED = /(?:free|paid)_?tier|quota exceeded for metric|per_?(?:minute|day)/i
const NO_MODEL =
  /model_not_found|not a valid model|model not exist|invalid model|invalid_model|does not have access to model|model .{0,80}not found/i
/** The model is known, but none of its providers does what the request needs. */
const NO_ENDPOINT = /no endpoints? (?:found|available)/i
/** One request is more than a minute allows: waiting does not make it smaller. */
const TOO_LARGE_AT_ONCE = /request too large for/i
const LOADING = /loading model|model is (?:currently )?loading/i
/** A limit that no run waits for. */
const FOR_THE_DAY = /per[_ -]?day|daily/i
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
  const elsewhere = status === 403 && !ABOUT_CONTENT.test(facts.text)
  const lesson = lessonOf(facts.message, { isContext: code === 'engine_context', status })
  // What a model does not take, it does not take a moment later.
  const passing = lesson === null && passes(code, facts)
  return new EngineError(code, detail, { retryAfter, said, passing, elsewhere, lesson })
}

function codeOf(facts: FailureFacts): EngineFailure {
  const { status, text, name, connection } = facts
  if (status === 402 || isAboutMoney(facts)) return 'engine_quota'
  if (TOO_LARGE_AT_ONCE.test(text)) return 'engine_context'
  if (status === 401 || REFUSED_KEY.test(text)) return 'engine_key'
  if ((status === 403 || status === 400) && NO_MODEL.test(text)) return 'engine_model'
  if (status === 403) return facts.page || NOT_THE_KEY.test(text) ? 'engine_refused' : 'engine_key'
  if (asksToWait(facts)) return 'engine_rate'
  if (status === 413 || TOO_LONG.test(text)) return 'engine_context'
  if (status === 404) return NO_ENDPOINT.test(text) ? 'engine_refused' : 'engine_model'
  if (status === 408 || status === 504 || status === 524) return 'engine_timeout'
  if (isRefusal(facts)) return 'engine_refused'
  if (status !== null) return 'engine_error'
  if (connection?.code === 'too_large') return 'engine_answer'
  if (connection !== null) return BROKEN.test(text) ? 'engine_cut' : 'engine_network'
  // A plain error is a package that is at a loss about what it has read.
  const unreadable = name === 'Error' || UNREADABLE.test(text)
  return unreadable && !OWN_ERROR.test(text) ? 'engine_answer' : 'engine_error'
}

function isAboutMoney({ status, text }: FailureFacts): boolean {
  if (status !== 429 && status !== 400 && status !== 403) return false
  return NO_MONEY.test(text) && !METERED.test(text)
}

/** Whether the same request may be answered a moment later. */
function passes(code: EngineFailure, { status, text }: FailureFacts): boolean {
  switch (code) {
    case 'engine_rate':
      return !FOR_THE_DAY.test(text)
    case 'engine_timeout':
    case 'engine_cut':
      return true
    case 'engine_error':
      return status !== 501 && status !== 505
    default:
      return false
  }
}

/** Too many requests, or too much to do: the same request may be answered later. 529 is Anthropic's for the latter, 498 Groq's. */
function asksToWait({ status, text, retryAfter }: FailureFacts): boolean {
  if (status === null) return /rate_limit|too many requests|RESOURCE_EXHAUSTED|overloaded_error/i.test(text)
  if (status === 429 || status === 529 || status === 498) return true
  return status === 503 && (retryAfter !== null || LOADING.test(text))
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
