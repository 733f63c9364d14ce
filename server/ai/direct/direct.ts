import {
  ABLE,
  type Engine,
  type PromptMessage,
  type PromptTool,
  type StepChunk,
  type StepRequest,
} from '../../chat/ports/model.ts'
import { directArguments } from './direct-arguments.ts'
import { directResult } from './direct-result.ts'
import { directTexts, type DirectTexts } from './direct-texts.ts'
import { nearestTools } from './nearest-tools.ts'
import { toolLines, toolList } from './tool-list.ts'
import { requiredNames } from './tool-usage.ts'

const COMMAND = /^\/([^\s/]*)([\s\S]*)$/

/**
 * The engine that needs no model: `/module.tool …` becomes exactly that call, anything else an answer about what can be
 * run. `hasEngine`: whether an engine is configured as well, so that the answer does not claim otherwise.
 */
export function directEngine(hasEngine: boolean): Engine {
  return {
    ai_mode: 'direct',
    engine_id: null,
    name: null,
    model: null,
    context_tokens: null,
    price: null,
    ...ABLE,
    async *step(request, signal) {
      signal.throwIfAborted()
      const texts = directTexts(request.language)
      const last = request.messages.at(-1)
      yield* last?.role === 'tool' ? say(directResult(last.results, texts)) : answer(request, texts, hasEngine)
    },
  }
}

function* answer(request: StepRequest, texts: DirectTexts, hasEngine: boolean): Generator<StepChunk> {
  const command = COMMAND.exec(lastText(request.messages).trim())
  if (command === null) {
    yield* say(plainWords(request, texts, hasEngine))
    return
  }
  const [, name = '', rest = ''] = command
  const tool = findTool(request.tools, name)
  if (tool === null) {
    yield* say(refusal(request, name) ?? unknown(request, name, texts))
    return
  }
  const parsed = directArguments(rest.trim(), tool, texts)
  if ('problem' in parsed) {
    yield* say(parsed.problem)
    return
  }
  yield { type: 'call', call_id: 'direct_1', name: tool.name, input: parsed.input, malformed: null, provider: null }
  yield { type: 'finish', reason: 'calls', input_tokens: 0, output_tokens: 0 }
}

function refusal({ refusals }: StepRequest, name: string): string | null {
  const folded = name.toLowerCase()
  return [...(refusals ?? [])].find(([tool]) => tool.toLowerCase() === folded)?.[1] ?? null
}

/** The answer to words that no engine reads: how things are, what is nearest to the words, and where the rest is. */
function plainWords({ tools, messages, language }: StepRequest, texts: DirectTexts, hasEngine: boolean): string {
  const start = hasEngine ? texts.howToRun : texts.noEngine
  if (tools.length === 0) return `${start}\n\n${texts.nothingToRun}`
  const nearest = nearestTools(tools, lastText(messages), language)
  const shown = nearest.length > 0 ? nearest : tools.filter(isEasy).slice(0, 3)
  const list =
    shown.length === 0 ? '' : `${nearest.length > 0 ? texts.nearest : texts.example}\n\n${toolLines(shown)}\n\n`
  return `${start}\n\n${list}${texts.allTools}`
}

/** Nothing has to be given to it. */
function isEasy({ input_schema }: PromptTool): boolean {
  return requiredNames(input_schema).length === 0
}

/**
 * The answer to `/name` that is not a tool: an empty name lists all tools, a module its own; anything else gets
 * suggestions.
 */
function unknown({ tools, language }: StepRequest, name: string, texts: DirectTexts): string {
  const module = name.replace(/\.$/, '').toLowerCase()
  const ofModule = tools.filter((tool) => tool.name.toLowerCase().startsWith(`${module}.`))
  if (name === '') return toolList(tools, texts)
  if (ofModule.length > 0) return toolList(ofModule, texts)
  const nearest = nearestTools(tools, name, language)
  if (tools.length === 0) return `${texts.unknownTool(name)}\n\n${texts.nothingToRun}`
  return nearest.length > 0
    ? `${texts.unknownTool(name)} ${texts.didYouMean}\n\n${toolLines(nearest)}\n\n${texts.allTools}`
    : `${texts.unknownTool(name)}\n\n${texts.allTools}`
}

/** By its full name, or by its name without the module where only one tool has it. */
function findTool(tools: readonly PromptTool[], name: string): PromptTool | null {
  const folded = name.toLowerCase()
  const full = tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.name.toLowerCase() === folded)
  if (full !== undefined) return full
  const short = tools.filter((tool) => tool.name.toLowerCase().endsWith(`.${folded}`))
  const isModule = tools.some((tool) => tool.name.toLowerCase().startsWith(`${folded}.`))
  return short.length === 1 && folded !== '' && !isModule ? short[0]! : null
}

/** The first text of the person's last message; the texts after it are attachments. */
function lastText(messages: readonly PromptMessage[]): string {
  const message = messages.findLast((one) => one.role === 'user')
  return message?.content.find((part) => part.type === 'text')?.text ?? ''
}

function* say(text: string): Generator<StepChunk> {
  if (text !== '') yield { type: 'text', text }
  yield { type: 'finish', reason: 'stop', input_tokens: 0, output_tokens: 0 }
}
