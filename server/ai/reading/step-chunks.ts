import type { StepChunk } from '../../chat/ports/model.ts'
import { EngineError } from '../../chat/ports/model.ts'
import { say } from '../../kernel/sentence.ts'
import { callInput } from './call-input.ts'
import type { ProviderMark } from '../prompt-messages.ts'
import type { ProviderPart } from '../provider-model.ts'
import type { ToolNames } from '../tool-names.ts'

type Call = Extract<StepChunk, { type: 'call' }>
type Finish = Extract<StepChunk, { type: 'finish' }>

/** Parts that only an answer has. */
const SAYING: ReadonlySet<ProviderPart['type']> = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-input-start',
  'tool-call',
])

/** The arguments of a call at which the model reached its limit before the first of them. */
const CUT = { input: null, malformed: '' }

/** How Google says that its model's call is no call. */
const MALFORMED: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'MALFORMED_RESPONSE',
])

/**
 * Turns the SDK's parts of one step into the port's chunks. Calls are held back until the provider has finished: when a
 * stream is cut, the SDK still emits half-received arguments as a call, and half a command must never run.
 * @throws whatever the stream reports as its error · {EngineError} engine_cut when it ends without a finish,
 * engine_answer when it held nothing at all.
 */
export async function* stepChunks(
  parts: AsyncIterable<ProviderPart>,
  names: ToolNames,
  engine: string,
): AsyncGenerator<StepChunk> {
  const calls: Call[] = []
  /** Those without any text for their arguments. */
  const empty = new Set<Call>()
  let metadata: ProviderMark['metadata'] = null
  let said = false
  for await (const part of parts) {
    said ||= SAYING.has(part.type)
    switch (part.type) {
      case 'text-delta':
        if (part.delta !== '') yield { type: 'text', text: part.delta }
        break
      case 'reasoning-start':
        metadata = merged(null, part.providerMetadata)
        break
      case 'reasoning-delta':
        // Anthropic sends the signature as a delta without text.
        metadata = merged(metadata, part.providerMetadata)
        if (part.delta !== '') yield { type: 'reasoning', text: part.delta }
        break
      case 'reasoning-end':
        yield { type: 'reasoning_end', provider: mark(engine, merged(metadata, part.providerMetadata)) }
        metadata = null
        break
      case 'tool-call':
        calls.push({
          ...readCall(part, names),
          provider: mark(engine, merged(null, part.providerMetadata)),
        })
        if (part.input.trim() === '') empty.add(calls.at(-1)!)
        break
      case 'error':
        // One of the packages reports a stream that just ends as an error of its own.
        throw endsEarly(part.error) ? brokenOff(said) : part.error
      case 'finish': {
        const malformed = MALFORMED.has(part.finishReason.raw ?? '')
        if (!malformed && !finished(part.finishReason)) throw brokenOff(said)
        const atLimit = part.finishReason.unified === 'length'
        if (!malformed) yield* atLimit ? calls.map((call) => (empty.has(call) ? { ...call, ...CUT } : call)) : calls
        yield {
          type: 'finish',
          reason: malformed ? 'malformed' : finishReason(part.finishReason.unified, calls.length > 0),
          input_tokens: part.usage.inputTokens.total ?? 0,
          output_tokens: part.usage.outputTokens.total ?? 0,
        }
        return
      }
      default:
        // All other parts repeat, in pieces, what these contain.
        break
    }
  }
  throw brokenOff(said)
}

/**
 * For a stream that just ends, the packages invent a finish: `interrupted`, `error`, or `other` without the provider's reason.
 */
function finished({ unified, raw }: Extract<ProviderPart, { type: 'finish' }>['finishReason']): boolean {
  return unified !== 'interrupted' && unified !== 'error' && (unified !== 'other' || raw !== undefined)
}

function endsEarly(error: unknown): boolean {
  return error instanceof Error && error.message.includes('without a finish reason')
}

function brokenOff(said: boolean): EngineError {
  return said
    ? new EngineError('engine_cut', say`The AI engine broke off in the middle of its answer.`)
    : new EngineError('engine_answer', say`The AI engine’s answer could not be used.`)
}

/** Some servers say `stop` even though there are calls, others `tool_calls` even though there are none. */
function finishReason(reason: string, hasCalls: boolean): Finish['reason'] {
  if (reason === 'length') return 'length'
  if (reason === 'content-filter') return 'filtered'
  if (hasCalls) return 'calls'
  return reason === 'stop' || reason === 'tool-calls' ? 'stop' : 'other'
}

function readCall(
  { toolCallId, toolName, input }: Extract<ProviderPart, { type: 'tool-call' }>,
  names: ToolNames,
): Omit<Call, 'provider'> {
  const meant = names.meant(toolName)
  const { repaired, ...rest } = callInput(input)
  const all = meant !== null && !meant.exact ? (['name', ...repaired] as const) : repaired
  const name = meant?.name ?? toolName
  return { type: 'call', call_id: toolCallId, name, ...rest, ...(all.length > 0 && { repaired: all }) }
}

function mark(engine: string, metadata: ProviderMark['metadata']): ProviderMark {
  return { engine, metadata }
}

/**
 * Merged field by field within each provider's name, later ones winning: the parts of a block carry different facts.
 */
function merged(known: ProviderMark['metadata'], more: ProviderMark['metadata'] | undefined): ProviderMark['metadata'] {
  if (!more) return known
  const result = { ...known }
  for (const [provider, fields] of Object.entries(more)) result[provider] = { ...result[provider], ...fields }
  return result
}
