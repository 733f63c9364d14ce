import type { EngineTest } from '../../contract/engines.ts'
import { EngineError } from '../chat/model.ts'
import { say } from '../kernel/sentence.ts'
import type { AiConfig } from './ai-config.ts'
import { engineProblem } from './engine-problem.ts'
import { providerEngine } from './provider-engine.ts'

const TIME_LIMIT = 30_000

const REQUEST = {
  system: 'You are being tested. Do exactly what is asked.',
  messages: [
    {
      role: 'user' as const,
      content: [{ type: 'text' as const, text: 'Call the tool test.report with the value "ready". Say nothing else.' }],
    },
  ],
  tools: [
    {
      name: 'test.report',
      description: 'Reports a value. Call it when you are asked to.',
      input_schema: {
        type: 'object',
        properties: { value: { type: 'string' } },
        required: ['value'],
        additionalProperties: false,
      },
    },
  ],
  language: 'en',
}

/** Asks an engine for one short answer with a tool, and says in the reader's language what is wrong with it. Never rejects. */
export async function testEngine(
  config: NonNullable<AiConfig>,
  language: string,
  signal: AbortSignal,
): Promise<EngineTest> {
  const started = performance.now()
  const since = (): number => Math.round(performance.now() - started)
  let first_ms: number | null = null
  let tools = false
  try {
    const engine = providerEngine({ ...config, timeout_ms: TIME_LIMIT, idle_timeout_ms: TIME_LIMIT })
    // Loading the library is no part of what is measured.
    await engine.warmUp()
    const loaded = performance.now() - started
    const own = (): number => Math.round(performance.now() - started - loaded)
    for await (const chunk of engine.step(REQUEST, signal)) {
      first_ms ??= own()
      if (chunk.type === 'call') tools = true
    }
    const total_ms = own()
    if (tools)
      return {
        ok: true,
        problem: null,
        detail: say`It answers and can use tools.`.in(language),
        tools,
        first_ms,
        total_ms,
      }
    const detail = say`It answers, but did not use the tool that it was given. Without tools it can only talk: choose a model that supports tool calls.`
    return { ok: false, problem: 'no_tools', detail: detail.in(language), tools, first_ms, total_ms }
  } catch (error) {
    const failure = error instanceof EngineError ? error : new EngineError('unavailable', 'The test was broken off.')
    const { problem, detail } = engineProblem(failure)
    return { ok: false, problem, detail: detail.in(language), tools: null, first_ms, total_ms: since() }
  }
}
