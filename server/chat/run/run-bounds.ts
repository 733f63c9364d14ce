import type { RunTable } from '../../db/rows/chat-tables.ts'
import type { Reader } from '../../db/database.ts'
import { query } from '../../db/statement.ts'
import type { RunLimits } from './run-context.ts'

/** What holds for a run that nobody watches, besides what holds for all; JSON in `run.bounds`. */
export interface RunBounds {
  /** Milliseconds of work, from its start or from the last decision of a card. */
  readonly work_ms: number
  readonly tokens: number | null
  readonly calls: number | null
  /** Milliseconds that a card waits for a decision. */
  readonly card_ms: number
}

export type OverBound = 'time' | 'tokens' | 'calls'

export function boundsOf({ bounds }: Pick<RunTable, 'bounds'>): RunBounds | null {
  return bounds === null ? null : (JSON.parse(bounds) as RunBounds)
}

export function approvalLife(limits: RunLimits, bounds: RunBounds | null): number {
  return bounds?.card_ms ?? limits.approvalLife
}

const USED = query((db, is: { run_id: string }) =>
  db.selectNoFrom(({ selectFrom }) => [
    selectFrom('tool_call')
      .select(({ fn }) => fn.countAll<number | string>().as('calls'))
      .where('run_id', '=', is.run_id)
      .as('calls'),
    selectFrom('approval')
      .select(({ fn }) => fn.max('decided_at').as('decided_at'))
      .where('run_id', '=', is.run_id)
      .as('decided_at'),
  ]),
)

/** What a run has used up, and how many milliseconds it may still work. */
export async function boundsLeft(
  reader: Reader,
  run: Pick<RunTable, 'run_id' | 'created_at' | 'input_tokens' | 'output_tokens'>,
  bounds: RunBounds,
): Promise<{ readonly over: OverBound | null; readonly left_ms: number }> {
  const used = await USED.first(reader, { run_id: run.run_id })
  const since = Math.max(Number(run.created_at), Number(used?.decided_at ?? 0))
  const left_ms = since + bounds.work_ms - Date.now()
  if (bounds.tokens !== null && run.input_tokens + run.output_tokens > bounds.tokens) return { over: 'tokens', left_ms }
  if (bounds.calls !== null && Number(used?.calls ?? 0) > bounds.calls) return { over: 'calls', left_ms }
  return { over: left_ms <= 0 ? 'time' : null, left_ms }
}
