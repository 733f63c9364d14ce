import type { EngineTest } from '../../contract/engines.ts'
import { EngineError } from '../chat/ports/model.ts'
import { say } from '../kernel/sentence.ts'
import type { AiConfig } from './engine-setting.ts'
import { engineProblem } from './engine-problem.ts'
import { providerEngine } from './provider-engine.ts'
import { TEST_REQUEST } from './test-request.ts'

/** Milliseconds, both until the first byte and between two pieces. */
const TIME_LIMIT = 30_000

/**
 * Asks an engine for one short answer that uses a tool, and reports any problem in the reader's language. Never
 * rejects.
 */
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
    // Loading the library is not part of the measurement.
    await engine.warmUp()
    const loaded = performance.now() - started
    const own = (): number => Math.round(performance.now() - started - loaded)
    for await (const chunk of engine.step(TEST_REQUEST, signal)) {
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
    const detail = say`It answers but did not use the tool it was given. Without tools it can only chat: choose a model that supports tool calls.`
    return { ok: false, problem: 'no_tools', detail: detail.in(language), tools, first_ms, total_ms }
  } catch (error) {
    const failure = error instanceof EngineError ? error : new EngineError('engine_cut', say`The test was interrupted.`)
    const { problem, detail } = engineProblem(failure)
    return { ok: false, problem, detail: detail.in(language), tools: null, first_ms, total_ms: since() }
  }
}
