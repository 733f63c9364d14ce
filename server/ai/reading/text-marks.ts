import type { StepChunk } from '../../chat/ports/model.ts'
import { CALL_CHARACTERS, readTextCalls } from './text-calls.ts'
import type { ToolNames } from '../tool-names.ts'

const OPEN = '<think>'
const CLOSE = '</think>'
/** What models write before a call where their server does not turn it into one. */
const CALL_MARKS = ['<tool_call>', '<function=', '[TOOL_CALLS]', '<|tool_call|>', '<|python_tag|>'] as const

/**
 * Local servers pass on what a model writes for itself: thoughts between `<think>` and `</think>` at the beginning, and
 * calls as text at the end. Both are told apart from what is said. Only an answer that begins with a thought has one, and
 * only one that ends with calls of tools that were offered makes them; everything else stays the text that it is.
 */
export async function* textMarks(chunks: AsyncIterable<StepChunk>, names: ToolNames): AsyncGenerator<StepChunk> {
  const now: { in: 'start' | 'thought' | 'said' | 'call' | 'plain' } = { in: 'start' }
  let held = ''
  let atLineStart = true
  let called = false

  function* say(text: string): Generator<StepChunk> {
    if (text === '') return
    atLineStart = /(?:^|\n)[ \t]*$/.test(text) && (atLineStart || text.includes('\n'))
    yield { type: 'text', text }
  }

  function* read(): Generator<StepChunk> {
    if (now.in === 'start') {
      const text = held.trimStart()
      if (OPEN.startsWith(text.slice(0, OPEN.length)) && text.length < OPEN.length) return
      if (text.startsWith(OPEN)) {
        now.in = 'thought'
        held = text.slice(OPEN.length).replace(/^\s+/, '')
      } else now.in = 'said'
    }
    if (now.in === 'thought') {
      const end = held.indexOf(CLOSE)
      const thought = end < 0 ? held.slice(0, held.length - overlap(held, CLOSE)) : held.slice(0, end)
      if (thought !== '') yield { type: 'reasoning', text: thought }
      if (end < 0) {
        held = held.slice(thought.length)
        return
      }
      yield { type: 'reasoning_end', provider: null }
      held = held.slice(end + CLOSE.length).trimStart()
      now.in = 'said'
    }
    // Too long for a call: nothing more is held back.
    if (now.in === 'call' && held.length > CALL_CHARACTERS) now.in = 'plain'
    if (now.in === 'plain') yield* rest()
    if (now.in !== 'said') return
    const at = callAt(held, atLineStart)
    if (at >= 0) {
      yield* say(held.slice(0, at))
      held = held.slice(at)
      now.in = 'call'
      return
    }
    const kept = Math.max(...CALL_MARKS.map((mark) => overlap(held, mark)))
    yield* say(held.slice(0, held.length - kept))
    held = held.slice(held.length - kept)
  }

  function* rest(): Generator<StepChunk> {
    if (held === '') return
    if (now.in === 'thought') yield { type: 'reasoning', text: held }
    else yield { type: 'text', text: held }
    held = ''
  }

  try {
    for await (const chunk of chunks) {
      if (chunk.type === 'text') {
        held += chunk.text
        yield* read()
        continue
      }
      if (chunk.type === 'finish') {
        // A call beside real ones would be the same call twice.
        const calls = now.in === 'call' && !called && chunk.reason !== 'length' ? readTextCalls(held, names) : null
        if (calls === null) yield* rest()
        else yield* calls
        yield calls === null ? chunk : { ...chunk, reason: 'calls' }
        return
      }
      if (chunk.type === 'call') called = true
      else yield* rest()
      yield chunk
    }
  } catch (error) {
    // What was held back has been said all the same.
    yield* rest()
    throw error
  }
}

/** Where the first mark of a call is that begins a line; -1: nowhere. */
function callAt(text: string, atLineStart: boolean): number {
  const places = CALL_MARKS.map((mark) => {
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
      let start = at
      while (start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t')) start--
      if (start === 0 ? atLineStart : text[start - 1] === '\n') return at
    }
    return Infinity
  })
  const first = Math.min(...places)
  return first === Infinity ? -1 : first
}

/** How much of the end of a text may be the beginning of the mark. */
function overlap(text: string, mark: string): number {
  for (let length = Math.min(text.length, mark.length - 1); length > 0; length--)
    if (mark.startsWith(text.slice(text.length - length))) return length
  return 0
}
