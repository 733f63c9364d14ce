import type { Trx } from '../../db/database.ts'
import type { RunTable, StepTable } from '../../db/rows/chat-tables.ts'
import { insertRows } from '../../db/statement.ts'
import { newId } from '../../kernel/id.ts'
import { costOf, type Engine } from '../ports/model.ts'
import type { HeldRun } from '../run/run-store.ts'
import type { Step } from '../run/step.ts'

interface Used extends Pick<StepTable, 'kind' | 'output' | 'input_tokens' | 'output_tokens' | 'started_at'> {
  readonly engine: Engine
}

/**
 * Stores a request to an engine as a step, and adds its tokens and cost to the owner's quota. Returns what the run has
 * used with it; the caller stores that.
 */
export async function countUse(
  trx: Trx,
  { ports }: Pick<Step, 'ports'>,
  { row }: HeldRun,
  { engine, kind, output, input_tokens, output_tokens, started_at }: Used,
): Promise<Pick<RunTable, 'input_tokens' | 'output_tokens' | 'cost_micros'>> {
  const { run_id, user_id } = row
  const cost = costOf(engine, { input_tokens, output_tokens })
  const { engine_id, model } = engine
  if (engine_id !== null && model !== null)
    await ports.usage.tokens(trx, user_id, { engine_id, model }, { input_tokens, output_tokens, cost_micros: cost })
  await insertRows(trx, 'step', [
    {
      step_id: newId('step'),
      run_id,
      step: row.step + 1,
      kind,
      status: 'done',
      output,
      input_tokens,
      output_tokens,
      started_at,
      ended_at: Date.now(),
    },
  ])
  return {
    input_tokens: row.input_tokens + input_tokens,
    output_tokens: row.output_tokens + output_tokens,
    cost_micros: cost === null ? row.cost_micros : (row.cost_micros ?? 0) + cost,
  }
}
