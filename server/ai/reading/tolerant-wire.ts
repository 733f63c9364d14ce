import { EngineError } from '../../chat/ports/model.ts'
import { say } from '../../kernel/sentence.ts'
import { jsonValue } from '../../kernel/text/json-value.ts'

/**
 * Servers that call themselves OpenAI-compatible differ in what they send. This makes of each answer what the package of
 * the SDK reads: a stream of events with `choices`, whole or in pieces, and one form of error. Bytes that are none of this
 * go through as they are, and the package says so.
 */
export function tolerantWire(fetch: typeof globalThis.fetch, piece: Piece = chunkOf): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (!response.ok || response.body === null) return response
    const events = response.body
      .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
      .pipeThrough(readable(piece))
      .pipeThrough(new TextEncoderStream())
    const { status, headers } = response
    return new Response(events, { status, headers })
  }
}

type Fields = Record<string, unknown>
/** What becomes of the data of an event: the same object where nothing is odd; null: it says nothing, like a ping. */
type Piece = (value: Fields) => Fields | null

const ANTHROPIC = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|error)$/

/** Anthropic adds kinds of events, which are to be passed over; its package takes them for a broken answer. */
export function anthropicPiece(value: Fields): Fields | null {
  return typeof value.type === 'string' && !ANTHROPIC.test(value.type) ? null : value
}

const DONE = '[DONE]'
/** What a line of an event stream begins with. */
const FIELD = /^(?:data|event|id|retry|error)?:/
/** Characters of an answer that came in one piece. */
const WHOLE = 64 * 1024 * 1024
/** Characters of one line of a stream, in which some servers send a whole answer. */
const LINE = 4 * 1024 * 1024

function readable(piece: Piece): TransformStream<string, string> {
  let rest = ''
  /** Null until the first character says which it is. */
  let whole: boolean | null = null
  const seen: Noted = { said: false, finished: false, calls: new Map() }
  let afterReturn = false
  const send = (controller: TransformStreamDefaultController<string>, data: string) =>
    controller.enqueue(`data: ${data}\n\n`)

  function line(text: string, controller: TransformStreamDefaultController<string>): void {
    const at = FIELD.exec(text)
    // Lines without a field are none of the format; an error is what they hold, if anything.
    const field = at === null ? 'error' : at[0].slice(0, -1)
    if (field !== 'data' && field !== 'error') return
    const data = (at === null ? text : text.slice(at[0].length)).trim()
    if (data === '') return
    if (data === DONE) {
      // What says that it is done is not cut off, even without a reason; but a call that is not whole is.
      if (seen.said && !seen.finished && [...seen.calls.values()].every(isWhole)) send(controller, FINISH)
      return send(controller, DONE)
    }
    const value = jsonValue(data)
    // Words without a field are for nobody.
    if (!isFields(value)) return at === null ? undefined : send(controller, data)
    const chunk = field === 'error' && value.error === undefined && !value.choices ? { error: value } : value
    const fixed = piece(chunk)
    if (fixed === null) return
    note(fixed, seen)
    send(controller, fixed === value ? data : JSON.stringify(fixed))
  }

  return new TransformStream({
    transform(text, controller) {
      rest += text
      if (whole === null) {
        rest = rest.replace(/^\s+/, '')
        if (rest === '') return
        whole = rest.startsWith('{') || rest.startsWith('[') || rest.startsWith('<')
      }
      if (whole) {
        if (rest.length > WHOLE) controller.error(tooLarge())
        return
      }
      // A long line that comes in many pieces is not looked through again with each of them.
      if (afterReturn || /[\r\n]/.test(text)) {
        const lines = rest.split(/\r\n|\n|\r(?!$)/)
        rest = lines.pop() ?? ''
        for (const one of lines) line(one, controller)
      }
      afterReturn = text.endsWith('\r')
      if (rest.length > LINE) controller.error(tooLarge())
    },
    flush(controller) {
      if (whole !== true) return line(rest, controller)
      const document = jsonValue(rest)
      const value: unknown = Array.isArray(document) ? document[0] : document
      const chunk = isFields(value) ? wholeChunk(value) : null
      if (chunk === null) return send(controller, rest.replace(/\s+/g, ' '))
      send(controller, JSON.stringify(chunk))
      send(controller, DONE)
    },
  })
}

function tooLarge(): EngineError {
  return new EngineError('engine_answer', say`The AI engine’s answer could not be used.`)
}

const FINISH = JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })

/** What a stream has brought so far. */
interface Noted {
  said: boolean
  finished: boolean
  /** The text of each call's arguments, in pieces. */
  readonly calls: Map<number, string[]>
}

/** Remembers whether something was said, which calls began, and whether the server said why it ended. */
function note({ choices }: Fields, seen: Noted): void {
  if (!Array.isArray(choices)) return
  for (const { delta, finish_reason: reason } of choices as { delta?: Fields; finish_reason?: unknown }[]) {
    seen.finished ||= typeof reason === 'string'
    seen.said ||= Boolean(delta?.content) || Boolean(delta?.tool_calls) || Boolean(delta?.reasoning_content)
    if (Array.isArray(delta?.tool_calls)) for (const call of delta.tool_calls) noteCall(call, seen.calls)
  }
}

function noteCall(call: unknown, calls: Noted['calls']): void {
  if (!isFields(call) || !isFields(call.function)) return
  const { name, arguments: text } = call.function
  // Without an index, a name is what a call begins with.
  const at = typeof call.index === 'number' ? call.index : name ? calls.size : Math.max(calls.size - 1, 0)
  const pieces = calls.get(at) ?? []
  calls.set(at, pieces)
  if (typeof text === 'string') pieces.push(text)
}

/** Nothing at all may be the beginning of anything. */
function isWhole(pieces: readonly string[]): boolean {
  return isFields(jsonValue(pieces.join('')))
}

/** An answer that came in one piece, as the only piece of a stream; null: it is none. */
function wholeChunk(value: Fields): Fields | null {
  if (!Array.isArray(value.choices)) return chunkOf(value)
  const choices = (value.choices as unknown[]).filter(isFields).map((choice) => ({
    ...choice,
    delta: isFields(choice.message) ? choice.message : { content: choice.text },
    finish_reason: choice.finish_reason ?? 'stop',
  }))
  return chunkOf({ ...value, choices })
}

/** A piece as the package reads it: the same object where nothing is odd; null: it says nothing, like a ping. */
function chunkOf(value: Fields): Fields | null {
  const { choices, usage, created, id } = value
  const error = value.error ?? errorBeside(value)
  if (error !== undefined && error !== null) return { error: errorOf(error) }
  if (!Array.isArray(choices)) return isFields(usage) ? { ...value, choices: [] } : null
  const fixed = choices.map((choice: unknown) => (isFields(choice) ? choiceOf(choice) : choice))
  const usual =
    fixed.every((choice, at) => choice === choices[at]) &&
    typeof (created ?? 0) === 'number' &&
    typeof (id ?? '') === 'string' &&
    (usage === undefined || usage === null || isFields(usage))
  if (usual) return value
  return {
    ...value,
    id: idOf(id),
    created: typeof created === 'number' ? created : null,
    usage: isFields(usage) ? usage : null,
    choices: fixed,
  }
}

/** An error that is not under `error`: vLLM and Mistral send `{object: "error", message}`, OpenRouter puts it into a choice. */
function errorBeside({ choices, object, message, detail, code }: Fields): unknown {
  if (Array.isArray(choices)) return choices.find((choice) => isFields(choice) && isFields(choice.error))?.error
  const isError = object === 'error' || (code !== undefined && code !== null)
  if (typeof message === 'string' && isError) return { message, code }
  return typeof detail === 'string' ? detail : undefined
}

function choiceOf(choice: Fields): Fields {
  const given = isFields(choice.delta) ? choice.delta : isFields(choice.message) ? choice.message : null
  const delta = given === null ? null : deltaOf(given)
  const { finish_reason: reason } = choice
  if (delta === (choice.delta ?? null) && reason !== '') return choice
  return { ...choice, delta, finish_reason: reason === '' ? null : reason }
}

function deltaOf(delta: Fields): Fields {
  const fixed: Fields = { ...delta }
  let odd = false
  const set = (field: string, value: unknown) => {
    fixed[field] = value
    odd = true
  }
  if (![undefined, null, 'assistant', ''].includes(delta.role as string | undefined)) set('role', 'assistant')
  if (typeof delta.content === 'number' || typeof delta.content === 'boolean') set('content', String(delta.content))
  // Ollama's own name, and that of some routers.
  const thought = delta.thinking ?? delta.reasoning_text
  if (typeof thought === 'string' && delta.reasoning_content === undefined) set('reasoning_content', thought)
  if (isFields(delta.reasoning)) set('reasoning', delta.reasoning.content ?? null)
  if (isFields(delta.function_call) && !delta.tool_calls)
    set('tool_calls', [{ index: 0, function: delta.function_call }])
  const calls = isFields(fixed.tool_calls) ? [fixed.tool_calls] : fixed.tool_calls
  if (Array.isArray(calls) && calls.some(isOddCall)) set('tool_calls', calls.map(callOf))
  else if (calls !== fixed.tool_calls) set('tool_calls', calls)
  return odd ? fixed : delta
}

function isOddCall(call: unknown): boolean {
  if (!isFields(call) || !isFields(call.function)) return true
  const { arguments: args } = call.function
  const plain = args === undefined || args === null || typeof args === 'string'
  return !plain || typeof (call.index ?? 0) !== 'number' || typeof (call.id ?? '') !== 'string'
}

/** Arguments as text, whatever they were; ids and numbers as they must be. */
function callOf(call: unknown, at: number): unknown {
  if (!isFields(call)) return call
  // Some leave `function` out and put what belongs there beside it.
  const { name, arguments: args } = isFields(call.function) ? call.function : call
  return {
    ...call,
    index: Number.isInteger(Number(call.index ?? at)) ? Number(call.index ?? at) : at,
    id: idOf(call.id),
    function: {
      name,
      arguments: args === undefined || args === null || typeof args === 'string' ? args : JSON.stringify(args),
    },
  }
}

/** Some count instead of naming. */
function idOf(id: unknown): string | null {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : null
}

/** `"…"`, `{message}`, `{code, message}` and more as the one form that the package knows. */
function errorOf(error: unknown): Fields {
  if (typeof error === 'string') return { message: error }
  if (!isFields(error)) return { message: JSON.stringify(error) }
  const { message, type, code, detail } = error
  return {
    ...error,
    message: typeof message === 'string' ? message : typeof detail === 'string' ? detail : JSON.stringify(error),
    type: typeof type === 'string' ? type : null,
    code: typeof code === 'string' || typeof code === 'number' ? code : null,
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
