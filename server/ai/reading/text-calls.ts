import type { StepChunk } from '../../chat/ports/model.ts'
import { isTooDeep } from '../../kernel/text/json-depth.ts'
import { callInput } from './call-input.ts'
import type { ToolNames } from '../tool-names.ts'
import { jsonValue } from '../../kernel/text/json-value.ts'

type Call = Extract<StepChunk, { type: 'call' }>

/** A call as its marks hold it: the name and the arguments. */
interface Written {
  readonly name: unknown
  readonly input: unknown
}

/** Characters of a text that may be a call: more is no arguments that anybody takes, and nobody waits for its reading. */
export const CALL_CHARACTERS = 256 * 1024
const TAG = '<tool_call>'
const TAG_END = '</tool_call>'
const FUNCTION_END = '</function>'
const PARAMETER = '<parameter='
const PARAMETER_END = '</parameter>'

/**
 * The calls that a text consists of, as models write them: Hermes and Qwen (`<tool_call>{"name", "arguments"}`), Qwen Coder
 * (`<function=name><parameter=key>`), Mistral (`[TOOL_CALLS][{…}]`), Llama (`<|python_tag|>{"name", "parameters"}`). Null
 * unless that is all it holds and every one is of a tool that was offered.
 */
export function readTextCalls(text: string, names: ToolNames): Call[] | null {
  if (text.length > CALL_CHARACTERS) return null
  const written = taggedCalls(text) ?? functionCalls(text) ?? listedCalls(text)
  if (written === null || written.length === 0) return null
  const calls: Call[] = []
  for (const { name, input } of written) {
    const known = typeof name === 'string' ? names.meant(name) : null
    if (known === null || !isObject(input) || isTooDeep(input)) return null
    const read = callInput(JSON.stringify(input))
    // Text gives no ids: each call has that of its row.
    calls.push({ type: 'call', call_id: '', name: known.name, provider: null, ...read, repaired: ['text'] })
  }
  return calls
}

function taggedCalls(text: string): Written[] | null {
  const calls: Written[] = []
  for (let rest = text.trim(); rest !== '';) {
    if (!rest.startsWith(TAG)) return null
    // Models stop after the last call, and their server takes the closing mark for the end.
    const end = rest.indexOf(TAG_END)
    const body = end < 0 ? rest.slice(TAG.length) : rest.slice(TAG.length, end)
    const functions = functionCalls(body)
    const call = functions === null ? written(jsonValue(body)) : functions.length === 1 ? functions[0]! : null
    if (call === null) return null
    calls.push(call)
    rest = end < 0 ? '' : rest.slice(end + TAG_END.length).trimStart()
  }
  return calls
}

function functionCalls(text: string): Written[] | null {
  const calls: Written[] = []
  for (let rest = text.trim(); rest !== '';) {
    const name = /^<function=([^>\s]{1,200})>/.exec(rest)
    const end = rest.indexOf(FUNCTION_END)
    if (name === null || end < 0) return null
    const input = functionInput(rest.slice(name[0].length, end))
    if (input === null) return null
    calls.push({ name: name[1], input })
    rest = rest.slice(end + FUNCTION_END.length).trimStart()
  }
  return calls
}

/**
 * The arguments between the marks of a function: closed parameters or one object as JSON, and nothing besides. Null: what
 * is meant is not certain, such as a parameter that is not closed, one that comes twice, or a mark within a value.
 */
function functionInput(body: string): Record<string, unknown> | null {
  if (!body.trimStart().startsWith(PARAMETER)) {
    const value = body.trim() === '' ? {} : jsonValue(body)
    return isObject(value) ? value : null
  }
  const input = new Map<string, string>()
  for (let rest = body.trim(); rest !== '';) {
    const key = /^<parameter=([^>\s]{1,200})>\n?/.exec(rest)
    const end = rest.indexOf(PARAMETER_END)
    if (key === null || end < 0 || input.has(key[1]!)) return null
    const value = rest.slice(key[0].length, Math.max(end, key[0].length)).replace(/\n$/, '')
    if (value.includes(PARAMETER)) return null
    input.set(key[1]!, value)
    rest = rest.slice(end + PARAMETER_END.length).trimStart()
  }
  return Object.fromEntries(input)
}

function listedCalls(text: string): Written[] | null {
  const mark = /^(?:\[TOOL_CALLS\]|<\|tool_call\|>|<\|python_tag\|>)\s*/.exec(text)
  if (mark === null) return null
  const value = jsonValue(text.slice(mark[0].length).replace(/<\|\/?\w+\|>\s*$/, ''))
  const calls = (Array.isArray(value) ? value : [value]).map(written)
  return calls.every((call) => call !== null) ? calls : null
}

function written(value: unknown): Written | null {
  if (!isObject(value)) return null
  const inner = isObject(value.function) ? value.function : value
  const given = inner.arguments ?? inner.parameters ?? {}
  return { name: inner.name, input: typeof given === 'string' ? jsonValue(given) : given }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
