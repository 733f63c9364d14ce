import type { AiProvider } from '../../../server/ai/engine-setting.ts'
import type { Reply } from '../servers/engine-bytes.ts'

export interface Call {
  readonly name: string
  /** The text of the arguments, as it goes over the wire. */
  readonly args: string
  readonly id?: string
}

/** How each provider says something, as bytes. */
export interface WireWords {
  readonly text: (words: string) => Reply
  readonly calls: (...calls: Call[]) => Reply
}

/** Events with their data, as most servers write them. */
export function sse(...events: readonly (object | string)[]): string {
  return events
    .map((event) => {
      const data = typeof event === 'string' ? event : JSON.stringify(event)
      const type = typeof event === 'string' ? undefined : (event as { type?: string }).type
      return `${type === undefined ? '' : `event: ${type}\n`}data: ${data}\n\n`
    })
    .join('')
}

/** One piece of an OpenAI-compatible answer. */
export function delta(fields: object, finish_reason: string | null = null): object {
  return {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: fields, finish_reason }],
  }
}

export function toolCall({ name, args, id = 'call_1' }: Call, index = 0): object {
  return { index, id, type: 'function', function: { name, arguments: args } }
}

export const USED = { choices: [], usage: { prompt_tokens: 12, completion_tokens: 7 } }

const compatible: WireWords = {
  text: (words) => ({ body: sse(delta({ role: 'assistant', content: words }), delta({}, 'stop'), USED, '[DONE]') }),
  calls: (...calls) => ({
    body: sse(
      ...calls.map((call, at) => delta({ tool_calls: [toolCall({ id: `call_${at}`, ...call }, at)] })),
      delta({}, 'tool_calls'),
      USED,
      '[DONE]',
    ),
  }),
}

const response = { id: 'resp_1', created_at: 0, model: 'gpt-5', service_tier: null }
const completed = {
  type: 'response.completed',
  response: { incomplete_details: null, usage: { input_tokens: 12, output_tokens: 7 }, service_tier: null },
}
const openai: WireWords = {
  text: (words) => ({
    body: sse(
      { type: 'response.created', response },
      { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'msg_1' } },
      { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: words },
      { type: 'response.output_item.done', output_index: 0, item: { type: 'message', id: 'msg_1' } },
      completed,
    ),
  }),
  calls: (...calls) => ({
    body: sse(
      { type: 'response.created', response },
      ...calls.flatMap(({ name, args, id = 'call_1' }, output_index) => {
        const item = { type: 'function_call', id: `fc_${output_index}`, call_id: id, name }
        return [
          { type: 'response.output_item.added', output_index, item: { ...item, arguments: '' } },
          { type: 'response.output_item.done', output_index, item: { ...item, arguments: args, status: 'completed' } },
        ]
      }),
      completed,
    ),
  }),
}

export const anthropicStart = {
  type: 'message_start',
  message: {
    type: 'message',
    id: 'm',
    role: 'assistant',
    model: 'claude',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 12, output_tokens: 1 },
  },
}
export function anthropicBlock(index: number, content_block: object, ...deltas: object[]): object[] {
  return [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((one) => ({ type: 'content_block_delta', index, delta: one })),
    { type: 'content_block_stop', index },
  ]
}
export function anthropicEnd(stop_reason: string): object[] {
  return [
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } },
    { type: 'message_stop' },
  ]
}
const anthropic: WireWords = {
  text: (words) => ({
    body: sse(
      anthropicStart,
      ...anthropicBlock(0, { type: 'text', text: '' }, { type: 'text_delta', text: words }),
      ...anthropicEnd('end_turn'),
    ),
  }),
  calls: (...calls) => ({
    body: sse(
      anthropicStart,
      ...calls.flatMap(({ name, args, id = 'toolu_1' }, at) =>
        anthropicBlock(at, { type: 'tool_use', id, name, input: {} }, { type: 'input_json_delta', partial_json: args }),
      ),
      ...anthropicEnd('tool_use'),
    ),
  }),
}

export function candidate(parts: object[], more: object = {}): object {
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
    usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 7, totalTokenCount: 19 },
  }
}
const google: WireWords = {
  text: (words) => ({ body: sse(candidate([{ text: words }], { finishReason: 'STOP' })) }),
  calls: (...calls) => ({
    body: sse(
      candidate(
        calls.map(({ name, args }) => ({ functionCall: { name, args: JSON.parse(args) as object } })),
        { finishReason: 'STOP' },
      ),
    ),
  }),
}

export const WIRES: Record<AiProvider, WireWords> = { 'openai-compatible': compatible, openai, anthropic, google }
