import type { ModelLesson } from '../chat/ports/model.ts'

/**
 * How engines say that a model takes no tools: Ollama (does not support tools), vLLM (tool choice requires …), llama.cpp
 * (requires --jinja), OpenRouter (no endpoints found that support tool use), Groq, Azure and Mistral (… is not supported
 * with this model), Google (function calling is not enabled), DeepSeek (does not support function calling).
 */
const NO_TOOLS = [
  /does(?:n't| not) support (?:the use of )?(?:tools|tool (?:use|calls|calling)|functions|function[ -]call(?:s|ing))\b/i,
  /\b(?:tools?|tool (?:use|calling)|function calling)['"`]? (?:is|are) not (?:supported|enabled) (?:with|for|by) (?:this model|models?\/)/i,
  /endpoints? found that support tool use/i,
  /tool choice requires --/i,
  /tools param(?:eter)? requires --/i,
  /unsupported parameter:? ['"`]?tools['"`]?(?:\s|\.|$)/i,
]
/**
 * How they say that it takes no pictures: llama.cpp (image input is not supported), OpenAI (image_url is only supported by
 * certain models), OpenRouter (no endpoints found that support image input), vLLM (is not a multimodal model, at most 0
 * images), Ollama (missing data required for image input), DeepSeek (unknown variant `image_url`), Groq (content must be a
 * string).
 */
const NO_PICTURES = [
  /image inputs? (?:is |are )?not supported/i,
  /does(?:n't| not) support (?:images?|pictures?|vision|multimodal)(?: inputs?)?(?:[.,;:"'`)]|\s*$)/i,
  /image_url['"`]? is only supported by certain models/i,
  /endpoints? found that support image/i,
  /not a multimodal model/i,
  /at most 0 image/i,
  /required for image input/i,
  /unknown variant .?image_url/i,
  /content must be a string/i,
]
/** What is wrong with one picture: its format or its size. Another one may be taken. */
const ONE_PICTURE =
  /\b(?:formats?|media types?|mime|image\/\w|resolution|dimensions?|pixels?|bytes|\d+ ?[km]i?b|sizes?|larger|too (?:large|big|small|many))\b/i
/** Mistral wants an answer, not a picture, after the result of a tool. */
const NO_TOOL_PICTURES = /unexpected role ['"`]?user['"`]? after role ['"`]?tool/i

/** Where the limit stands in what says that a request does not fit. */
const CONTEXT = [
  /maximum context length (?:is|of) (?:only )?([\d,_]+)/i,
  /([\d,_]+) maximum context length/i,
  /available context size \(?([\d,_]+)/i,
  /context (?:length|window|size) (?:is|of)(?: only)? ([\d,_]+)/i,
  /maximum (?:prompt|model) length (?:is|of) ([\d,_]+)/i,
  />\s*([\d,_]+) maximum/i,
  /maximum number of tokens allowed \(?([\d,_]+)/i,
  /["']?n_ctx["']?\s*[:=]\s*([\d_]+)/i,
]
const LEAST = 512
/** Characters of what is read. */
const LONGEST = 1000
const MOST = 10_000_000

/**
 * What a refusal says about the model beyond this one request; null: nothing. `said`: the provider's own words alone, for what
 * else it sends may repeat the request. Only what names the model as a whole counts: one format, option or region does not.
 */
export function lessonOf(
  said: string,
  { isContext, status }: { readonly isContext: boolean; readonly status: number | null },
): ModelLesson | null {
  const text = said.slice(0, LONGEST)
  if (isContext) {
    const context_tokens = contextIn(text)
    return context_tokens === null ? null : { context_tokens }
  }
  // A key that is wrong, a place that is refused, a limit of rate and a gateway that is down say nothing about the model.
  if (
    status === 401 ||
    status === 402 ||
    status === 403 ||
    status === 429 ||
    status === 502 ||
    status === 503 ||
    status === 504
  )
    return null
  if (NO_TOOL_PICTURES.test(text)) return { lacks: 'tool_pictures' }
  const says = (pattern: RegExp) => pattern.test(text)
  if (NO_PICTURES.some(says)) return ONE_PICTURE.test(text) ? null : { lacks: 'pictures' }
  return NO_TOOLS.some(says) ? { lacks: 'tools' } : null
}

function contextIn(text: string): number | null {
  for (const pattern of CONTEXT) {
    const found = Number(pattern.exec(text)?.[1]?.replaceAll(/[,_]/g, '') ?? Number.NaN)
    if (found >= LEAST && found <= MOST) return found
  }
  return null
}
