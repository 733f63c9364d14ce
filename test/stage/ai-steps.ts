import { USUAL_REQUEST } from '../../server/ai/engine-request.ts'
import type { AiConfig } from '../../server/ai/engine-setting.ts'
import { environmentEngine } from '../../server/ai/known-engine.ts'
import { openModel } from '../../server/ai/open-model.ts'
import {
  EngineError,
  type Engine,
  type PromptMessage,
  type PromptTool,
  type StepChunk,
} from '../../server/chat/ports/model.ts'
import { startScriptedModel, type ScriptedModel, type Script } from './servers/scripted-model.ts'

export const PROCESSES: PromptTool = {
  name: 'system.processes',
  description: 'Lists processes. Sorted by what they use.',
  input_schema: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { sort: { type: 'string', enum: ['cpu', 'memory'] }, limit: { type: 'integer' } },
  },
}

export function config(more: Partial<NonNullable<AiConfig>> = {}): NonNullable<AiConfig> {
  return {
    provider: 'openai-compatible',
    base_url: null,
    model: 'scripted',
    api_key: 'key-of-the-test',
    context_tokens: 32_000,
    price: null,
    timeout_ms: 60_000,
    idle_timeout_ms: 60_000,
    request: USUAL_REQUEST,
    ...more,
  }
}

export function engineFor(settings: AiConfig): Engine {
  const engines = settings === null ? [] : [environmentEngine(settings)]
  return openModel(engines, { list: () => [] }).choose('How full is the disk?', { role_id: '', choice: null })
}

/** A scripted endpoint and an engine that talks to it. */
export async function scripted(
  script: Script,
  more: Partial<NonNullable<AiConfig>> = {},
): Promise<{ model: ScriptedModel; engine: Engine } & AsyncDisposable> {
  const model = await startScriptedModel(script)
  return { model, engine: engineFor(config({ base_url: model.url, ...more })), [Symbol.asyncDispose]: model.close }
}

export function user(text: string): PromptMessage {
  return { role: 'user', content: [{ type: 'text', text }] }
}

export interface AskOptions {
  messages?: PromptMessage[]
  tools?: PromptTool[]
  language?: string
  signal?: AbortSignal
  onChunk?: (chunk: StepChunk) => void
}

/** All chunks of one step. */
export async function ask(engine: Engine, options: AskOptions = {}): Promise<StepChunk[]> {
  const chunks: StepChunk[] = []
  const {
    messages = [user('Hello')],
    tools = [PROCESSES],
    signal = new AbortController().signal,
    language = 'en',
  } = options
  for await (const chunk of engine.step({ system: 'Be brief.', messages, tools, language }, signal)) {
    chunks.push(chunk)
    options.onChunk?.(chunk)
  }
  return chunks
}

/** The EngineError that a step ends with, and what came before it. */
export async function failureOf(
  engine: Engine,
  options: AskOptions = {},
): Promise<{ error: EngineError; chunks: StepChunk[] }> {
  const chunks: StepChunk[] = []
  try {
    await ask(engine, { ...options, onChunk: (chunk) => chunks.push(chunk) })
  } catch (error) {
    if (error instanceof EngineError) return { error, chunks }
    throw error
  }
  throw new Error('the step did not fail')
}

export function textOf(chunks: StepChunk[]): string {
  return chunks.map((chunk) => (chunk.type === 'text' ? chunk.text : '')).join('')
}

export function callsOf(chunks: StepChunk[]): Extract<StepChunk, { type: 'call' }>[] {
  return chunks.filter((chunk) => chunk.type === 'call')
}
