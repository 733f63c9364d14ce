import type { StepChunk } from '../../chat/ports/model.ts'
import { isTooDeep } from '../../kernel/text/json-depth.ts'
import { callInput, MENDED } from './call-input.ts'
import type { ToolNames } from '../tool-names.ts'

type Call = Extract<StepChunk, { type: 'call' }>

/** A call as its marks hold it: the name and the arguments. */
interface Written {
  readonly name: unknown
  readonly input: unknown
}

/**
 * The calls that a text consists of, as models write them: Hermes and Qwen (`<tool_call>{"name", "arguments"}`), Qwen Coder
 * (`<function=name><parameter=key>`), Mistral (`[TOOL_CALLS][{…}]`), Llama (`<|python_tag|>{"name", "parameters"}`). Null
 * unless that is all it holds and every one is of a tool that was offered.
 */
export function readTextCalls(text: string, names: ToolNames): Call[] | null {
  if (text.length > MENDED) return null
  const written = taggedCalls(text) ?? functionCalls(text) ?? listedCalls(text)
  if (written === null || written.length === 0) return null
  const calls: Call[] = []
  for (const [at, { name, input }] of written.entries()) {
    const known = typeof name === 'string' ? names.meant(name) : null
    if (known === null || !isObject(input) || isTooDeep(input)) return null
    const read = callInput(JSON.stringify(input))
    const id = { type: 'call', call_id: `text_${at}`, name: known.name, provider: null } as const
    calls.push({ ...id, ...read, repaired: ['text'] })
  }
  return calls
}

function taggedCalls(text: string): Written[] | null {
  if (!text.startsWith('<tool_call>')) return null
  const pieces = text.split(/<\/?tool_call>/)
  const bodies = pieces.filter((piece) => piece.trim() !== '')
  const calls = bodies.map((body) => written(parsed(body)) ?? only(functionCalls(body.trim())))
  return calls.every((call) => call !== null) ? calls : null
}

/** One pair of marks holds one call; whether another one is meant as well is not for sure. */
function only(calls: Written[] | null): Written | null {
  return calls?.length === 1 ? (calls[0] ?? null) : null
}

function functionCalls(text: string): Written[] | null {
  const calls: Written[] = []
  const rest = text.replace(/<function=([^>\s]+)>([\s\S]*?)<\/function>/g, (_, name: string, body: string) => {
    calls.push({ name, input: argumentsIn(body) })
    return ''
  })
  return rest.trim() === '' && calls.length > 0 ? calls : null
}

/**
 * Pairs of marks, one for each argument (Qwen Coder), or one object (Llama). Undefined where something would be left over:
 * an argument that was not closed, holds such a mark itself, or is there twice. A call must not lose half of what it says.
 */
function argumentsIn(body: string): unknown {
  const input = new Map<string, string>()
  let twice = false
  const rest = body.replace(/<parameter=([^>\s]+)>\n?([\s\S]*?)\n?<\/parameter>/g, (_, key: string, value: string) => {
    twice ||= input.has(key) || value.includes('<parameter=')
    input.set(key, value)
    return ''
  })
  if (twice) return undefined
  if (rest.trim() === '') return Object.fromEntries(input)
  return input.size === 0 ? parsed(rest) : undefined
}

function listedCalls(text: string): Written[] | null {
  const mark = /^(?:\[TOOL_CALLS\]|<\|tool_call\|>|<\|python_tag\|>)\s*/.exec(text)
  if (mark === null) return null
  const value = parsed(text.slice(mark[0].length).replace(/<\|\/?\w+\|>\s*$/, ''))
  const calls = (Array.isArray(value) ? value : [value]).map(written)
  return calls.every((call) => call !== null) ? calls : null
}

function written(value: unknown): Written | null {
  if (!isObject(value)) return null
  const inner = isObject(value.function) ? value.function : value
  const given = inner.arguments ?? inner.parameters ?? {}
  return { name: inner.name, input: typeof given === 'string' ? parsed(given) : given }
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
