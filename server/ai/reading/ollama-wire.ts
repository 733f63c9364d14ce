import { EngineError } from '../../chat/ports/model.ts'
import { say } from '../../kernel/sentence.ts'
import { jsonValue } from '../../kernel/text/json-value.ts'

/**
 * Ollama's own wire. Its OpenAI-compatible one has no word for the size of the context, which then is that of the server, and
 * cuts what does not fit without saying so. What the package of the SDK asks there is asked here with `num_ctx`; what does not
 * fit is refused, and the answer comes back as the package reads it.
 */
export function ollamaWire(fetch: typeof globalThis.fetch, num_ctx: number): typeof globalThis.fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    url.pathname = url.pathname.replace(/\/(?:v1\/)?chat\/completions$/, '/api/chat')
    const asked = JSON.parse(init?.body as string) as Asked
    const response = await fetch(url, { ...init, body: JSON.stringify(nativeRequest(asked, num_ctx)) })
    if (!response.ok || response.body === null) return response
    const events = response.body
      .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
      .pipeThrough(eventsOfLines())
      .pipeThrough(new TextEncoderStream())
    return new Response(events, { status: response.status, headers: { 'content-type': 'text/event-stream' } })
  }
}

/** What the package sends, as far as it is translated. */
interface Asked {
  readonly model: string
  readonly messages: readonly AskedMessage[]
  readonly tools?: readonly object[]
  readonly max_tokens?: number
  readonly reasoning_effort?: string
}

type AskedMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly AskedPart[] }
  | {
      readonly role: 'assistant'
      readonly content: string | null
      readonly reasoning_content?: string
      readonly tool_calls?: readonly AskedCall[]
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }
type AskedPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }

interface AskedCall {
  readonly id: string
  readonly function: { readonly name: string; readonly arguments: string }
}

function nativeRequest({ model, messages, tools, max_tokens, reasoning_effort: effort }: Asked, num_ctx: number) {
  return {
    model,
    messages: nativeMessages(messages),
    ...(tools !== undefined && { tools }),
    ...(effort !== undefined && { think: THINK[effort] ?? true }),
    // Without it the oldest messages, or half of the prompt, would be left out in silence.
    truncate: false,
    stream: true,
    options: { num_ctx, ...(max_tokens !== undefined && { num_predict: max_tokens }) },
  }
}

const THINK: Record<string, string | boolean> = {
  none: false,
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
}

function nativeMessages(messages: readonly AskedMessage[]): object[] {
  // A result names its tool instead of its call.
  const names = new Map<string, string>()
  return messages.map((message) => {
    switch (message.role) {
      case 'system':
        return message
      case 'user':
        return typeof message.content === 'string' ? message : { role: 'user', ...nativeContent(message.content) }
      case 'assistant': {
        const { content, reasoning_content: thinking, tool_calls: calls = [] } = message
        for (const call of calls) names.set(call.id, call.function.name)
        return {
          role: 'assistant',
          content: content ?? '',
          ...(thinking !== undefined && { thinking }),
          ...(calls.length > 0 && { tool_calls: calls.map(nativeCall) }),
        }
      }
      case 'tool': {
        const { content, tool_call_id } = message
        return { role: 'tool', content, tool_name: names.get(tool_call_id), tool_call_id }
      }
    }
  })
}

function nativeCall({ id, function: { name, arguments: args } }: AskedCall, index: number): object {
  return { id, function: { index, name, arguments: jsonValue(args) ?? {} } }
}

function nativeContent(parts: readonly AskedPart[]): { content: string; images?: string[] } {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const images = parts.flatMap((part) =>
    part.type === 'image_url' ? [part.image_url.url.slice(part.image_url.url.indexOf(',') + 1)] : [],
  )
  return { content: texts.join('\n'), ...(images.length > 0 && { images }) }
}

/** Characters of one line, which may hold a whole answer. */
const LINE = 4 * 1024 * 1024

/** One JSON document a line, as events of the other wire. */
function eventsOfLines(): TransformStream<string, string> {
  let rest = ''
  let calls = 0

  function line(text: string): string {
    if (text.trim() === '') return ''
    const piece = jsonValue(text)
    // What is none of this is passed on, and the package says so.
    if (!isFields(piece)) return `data: ${text.trim()}\n\n`
    if (piece.error !== undefined) return event({ error: piece.error })
    const said = isFields(piece.message) ? piece.message : {}
    const asked = Array.isArray(said.tool_calls) ? said.tool_calls.filter(isFields) : []
    const first = calls
    calls += asked.length
    const delta = {
      role: 'assistant',
      content: said.content,
      ...(said.thinking !== undefined && { reasoning_content: said.thinking }),
      ...(asked.length > 0 && { tool_calls: asked.map((call, at) => calledAs(call, first + at)) }),
    }
    const chunk = (finish_reason: string | null, more: object = {}) =>
      event({ choices: [{ index: 0, delta, finish_reason }], ...more })
    if (piece.done !== true) return chunk(null)
    const usage = { prompt_tokens: piece.prompt_eval_count ?? 0, completion_tokens: piece.eval_count ?? 0 }
    const reason = piece.done_reason === 'length' ? 'length' : calls > 0 ? 'tool_calls' : 'stop'
    return `${chunk(reason, { usage })}data: [DONE]\n\n`
  }

  return new TransformStream({
    transform(text, controller) {
      rest += text
      if (text.includes('\n')) {
        const lines = rest.split('\n')
        rest = lines.pop() ?? ''
        const events = lines.map(line).join('')
        if (events !== '') controller.enqueue(events)
      }
      if (rest.length > LINE)
        controller.error(new EngineError('engine_answer', say`The AI engine’s answer could not be used.`))
    },
    flush(controller) {
      const events = line(rest)
      if (events !== '') controller.enqueue(events)
    },
  })
}

/** Older versions give calls no ids. */
function calledAs({ id, function: called }: Fields, index: number): object {
  const { name, arguments: args } = isFields(called) ? called : {}
  return {
    index,
    id: typeof id === 'string' && id !== '' ? id : `call_${index}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}) },
  }
}

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

type Fields = Record<string, unknown>

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
