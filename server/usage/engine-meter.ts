import type { Caller } from '../../contract/route.ts'
import { costOf, type Engine } from '../chat/ports/model.ts'
import type { Usage } from '../chat/ports/usage.ts'
import type { Database } from '../db/database.ts'

/**
 * Metering for engine requests outside of runs: they are counted like all others, and not made once a quota is used up.
 */
export function engineMeter(db: Database, usage: Usage) {
  return {
    hasLeft: async (caller: Caller, { engine_id }: Engine): Promise<boolean> =>
      engine_id === null || (await usage.usedUp(db.read, caller, engine_id)) === null,
    metered: (engine: Engine, caller: Caller): Engine => {
      const { engine_id, model } = engine
      if (engine_id === null || model === null) return engine
      return {
        ...engine,
        async *step(request, signal) {
          for await (const chunk of engine.step(request, signal)) {
            if (chunk.type === 'finish') {
              const { input_tokens, output_tokens } = chunk
              const used = { input_tokens, output_tokens, cost_micros: costOf(engine, chunk) }
              await db.transaction((trx) => usage.tokens(trx, caller.user_id, { engine_id, model }, used))
            }
            yield chunk
          }
        },
      }
    },
  }
}
