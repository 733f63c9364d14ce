import type { Engine, Model, StepChunk } from '../../chat/ports/model.ts'
import { EngineError } from '../../chat/ports/model.ts'
import type { Tools } from '../../chat/ports/tools.ts'
import type { Metrics } from './metrics.ts'

/** The same tools, with each call counted. */
export function measuredTools(tools: Tools, metrics: Metrics): Tools {
  return {
    list: () => tools.list(),
    find: (module, tool) => tools.find(module, tool),
    wording: (module, language) => tools.wording(module, language),
    moduleTitle: (module, language) => tools.moduleTitle(module, language),
    instructions: (module) => tools.instructions(module),
    revision: () => tools.revision(),
    ready: () => tools.ready(),
    async call(request, signal, progress) {
      const started = performance.now()
      const result = await tools.call(request, signal, progress)
      metrics.toolCall(request.module, result.status, performance.now() - started)
      return result
    },
  }
}

/** The same model, with each engine step counted, except in direct mode. */
export function measuredModel<M extends Model>(model: M, metrics: Metrics): M {
  const measured = (engine: Engine) => (engine.ai_mode === 'model' ? measuredEngine(engine, metrics) : engine)
  return {
    ...model,
    choose: (...of) => measured(model.choose(...of)),
    naming: (role_id) => measured(model.naming(role_id)),
    fallback: (...of) => {
      const other = model.fallback(...of)
      return other && measured(other)
    },
  }
}

function measuredEngine(engine: Engine, metrics: Metrics): Engine {
  async function* step(...given: Parameters<Engine['step']>): AsyncGenerator<StepChunk> {
    const started = performance.now()
    let first: number | null = null
    let outcome = 'stopped'
    const tokens = { input: 0, output: 0 }
    try {
      for await (const chunk of engine.step(...given)) {
        first ??= performance.now() - started
        if (chunk.type === 'finish') {
          tokens.input = chunk.input_tokens
          tokens.output = chunk.output_tokens
          outcome = 'done'
        }
        yield chunk
      }
    } catch (error) {
      if (error instanceof EngineError) outcome = error.code
      throw error
    } finally {
      metrics.engineStep(engine.model ?? 'unknown', outcome, first, tokens)
    }
  }
  return { ...engine, step }
}
