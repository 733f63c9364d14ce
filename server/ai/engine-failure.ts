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

/**
 * Why a step failed, as the runner needs it. Its sentence names the status and what the provider said, never the key.
 * The SDK's error is not kept as the cause because it holds the whole request.
 */
export function engineFailure(error: unknown, apiKey: string | null): EngineError {
  const facts = failureFacts(error)
  if (facts.engineError !== null) return facts.engineError
  const { status, text, retryAfter } = facts
  const words = facts.connection ?? clean(facts.message, apiKey)
  const withWords = (what: Sentence): Sentence =>
    facts.connection !== null ? say`${what} ${words}` : words === '' ? what : say`${what} It said: ${words}`
  if (status === 401 || status === 403 || REFUSED_KEY.test(text)) {
    const what = say`The AI provider refused the API key. An administrator must enter a valid one.`
    return new EngineError('unavailable', what, { reason: 'key', said: words })
  }
  if (NO_MONEY.test(text) && (status === 429 || status === 402 || status === 400)) {
    const what = say`The AI provider says that the account has no credit left.`
    return new EngineError('unavailable', withWords(what), { reason: 'credit' })
  }
  if (status === 429 || (status === null && /rate_limit|too many requests|RESOURCE_EXHAUSTED/i.test(text))) {
    const what = say`The AI provider is limiting the rate of requests.`
    return new EngineError('rate_limited', withWords(what), { retryAfter, said: words })
  }
  if (status === 413 || TOO_LONG.test(text)) {
    const what = say`The conversation is too long for the model.`
    return new EngineError('context_too_long', withWords(what), { said: words })
  }
  if (status === 404) {
    const what = say`The AI provider does not know this model or address.`
    return new EngineError('unavailable', withWords(what), { reason: 'not_found' })
  }
  if (isRefusal(facts))
    return new EngineError('rejected', withWords(say`The AI provider refused the request.`), { said: words })
  const what =
    status !== null && status >= 400
      ? say`The AI engine answered with status ${status}.`
      : say`The AI engine is not reachable or broke off.`
  return new EngineError('unavailable', withWords(what), { retryAfter, said: words })
}

/** The SDK itself refuses some requests (a picture in a format the provider does not accept); that is not an outage. */
function isRefusal({ status, text, name }: FailureFacts): boolean {
  if (status === 408 || status === 409 || status === 425) return false
  if (status !== null) return status >= 400 && status < 500
  return (
    /UnsupportedFunctionality|InvalidPrompt|InvalidArgument/.test(name) ||
    /invalid_request_error|INVALID_ARGUMENT/.test(text)
  )
}

/** The message on one line, without the key. */
function clean(message: string, apiKey: string | null): string {
  return cut((apiKey ? message.replaceAll(apiKey, '***') : message).replace(/\s+/g, ' ').trim(), 500)
}
