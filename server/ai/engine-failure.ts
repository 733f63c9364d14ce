import { cut } from '../kernel/text.ts'
import { EngineError } from '../chat/model.ts'
import { failureFacts, type FailureFacts } from './failure-facts.ts'

/**
 * How the providers say that a request does not fit: OpenAI, vLLM and most hosted ones (maximum context length, context
 * window), Anthropic (prompt is too long, exceed context limit), Google (input token count), llama.cpp (available context
 * size), Ollama and LM Studio (context length, context overflows), Mistral (too large for model), TGI (max_new_tokens).
 */
const TOO_LONG =
  /context_length_exceeded|exceed_context_size|maximum context length|context window|exceeds? (?:the )?(?:available )?context|(?:available|exceeds?.{0,30}) context size|exceeds? (?:the )?context (?:length|limit)|context (?:the )?overflow|prompt is too long|prompt too long|input is too long|request_too_large|input token count.{0,40}exceeds|maximum (?:prompt|model) length|longer than the maximum model length|too large for model with|max_new_tokens.{0,20}must be <=|reduce the length of the (?:messages|prompt)/i
/** Google answers 400 for a wrong key. */
const REFUSED_KEY = /authentication_error|invalid_api_key|permission_error|API key not valid|API_KEY_INVALID/
const NO_MONEY = /insufficient_quota|billing|credit balance|payment required/i

/**
 * Why a step failed, as the runner needs it. Speaks for itself: the message names the status and what the provider said,
 * never the key; the SDK's error is not kept as cause, because it holds the whole request.
 */
export function engineFailure(error: unknown, apiKey: string | null): EngineError {
  const facts = failureFacts(error)
  if (facts.engineError !== null) return facts.engineError
  const { status, text, retryAfter } = facts
  const words = clean(facts.message, apiKey)
  const said = words === '' ? '' : ` It said: ${words}`
  if (status === 401 || status === 403 || REFUSED_KEY.test(text)) {
    return new EngineError(
      'unavailable',
      'The AI provider refused the API key. An administrator has to set a valid one.',
      { reason: 'key', said: words },
    )
  }
  if (NO_MONEY.test(text) && (status === 429 || status === 402 || status === 400)) {
    return new EngineError('unavailable', `The AI provider says that the account has no credit left.${said}`, {
      reason: 'credit',
    })
  }
  if (status === 429 || (status === null && /rate_limit|too many requests|RESOURCE_EXHAUSTED/i.test(text))) {
    return new EngineError('rate_limited', `The AI provider limits the rate of requests.${said}`, {
      retryAfter,
      said: words,
    })
  }
  if (status === 413 || TOO_LONG.test(text)) {
    return new EngineError('context_too_long', `The conversation is too long for the model.${said}`, { said: words })
  }
  if (status === 404) {
    return new EngineError('unavailable', `The AI provider does not know this model or address.${said}`, {
      reason: 'not_found',
    })
  }
  if (isRefusal(facts))
    return new EngineError('rejected', `The AI provider refused the request.${said}`, { said: words })
  const what = status !== null && status >= 400 ? `answered with status ${status}` : 'is not reachable or broke off'
  return new EngineError('unavailable', `The AI engine ${what}.${said}`, { retryAfter, said: words })
}

/** The SDK refuses some requests itself (a picture in a format that the provider does not take): that is no outage. */
function isRefusal({ status, text, name }: FailureFacts): boolean {
  if (status === 408 || status === 409 || status === 425) return false
  if (status !== null) return status >= 400 && status < 500
  return (
    /UnsupportedFunctionality|InvalidPrompt|InvalidArgument/.test(name) ||
    /invalid_request_error|INVALID_ARGUMENT/.test(text)
  )
}

/** What was said on one line, without the key. */
function clean(message: string, apiKey: string | null): string {
  return cut((apiKey ? message.replaceAll(apiKey, '***') : message).replace(/\s+/g, ' ').trim(), 500)
}
