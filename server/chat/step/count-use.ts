import type { Trx } from '../../db/database.ts'
import type { StepTable } from '../../db/chat-tables.ts'
import { newId } from '../../kernel/id.ts'
import { costOf, type Engine } from '../ports/model.ts'
import type { Step } from '../run/step.ts'

interface Used extends Pick<StepTable, 'kind' | 'output' | 'input_tokens' | 'output_tokens' | 'started_at'> {
  readonly engine: Engine
}

/** Stores a request to an engine as a step, and adds its tokens and cost to the run and to the owner's quota. */
export async function countUse(
  trx: Trx,
  { ports, run: { row } }: Pick<Step, 'ports' | 'run'>,
  { engine, kind, output, input_tokens, output_tokens, started_at }: Used,
): Promise<void> {
  const { run_id, user_id } = row
  const cost = costOf(engine, { input_tokens, output_tokens })
  if (engine.model !== null)
    await ports.usage.tokens(trx, user_id, engine.model, { input_tokens, output_tokens, cost_micros: cost })
  await trx
    .insertInto('step')
    .values({
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
    })
    .execute()
  await trx
    .updateTable('run')
    .set((eb) => ({
      input_tokens: eb('input_tokens', '+', input_tokens),
      output_tokens: eb('output_tokens', '+', output_tokens),
      ...(cost === null ? {} : { cost_micros: eb(eb.fn.coalesce('cost_micros', eb.lit(0)), '+', cost) }),
    }))
    .where('run_id', '=', run_id)
    .execute()
}
