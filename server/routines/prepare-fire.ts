import { fillPrompt, parsePrompt } from '../../contract/variables.ts'
import type { PausedBy } from '../../contract/routine-values.ts'
import type { Trx } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { newId } from '../kernel/id.ts'
import { quoted, say, Sentence } from '../kernel/sentence.ts'
import type { RoutineMessage, RoutinesContext, StoredRoutineRun } from './ports.ts'
import { type RoutineRow, scopeOf, workOf } from './routine-rows.ts'

/** What comes with a fire: data for the run, and values of variables of the message. */
export interface FireFacts {
  readonly source: 'hook' | 'watch'
  readonly name: string
  /** JSON. */
  readonly text: string
  readonly values: Readonly<Record<string, string>>
}

/** What is ready to be stored, or why nothing can begin. */
export type Prepared =
  | { readonly run_id: string; readonly open: (trx: Trx) => Promise<StoredRoutineRun> }
  | { readonly refused: Sentence; readonly pause?: PausedBy }

/** What every run of a routine may do, whatever else its scope says: be a run. */
const ALWAYS = 'codex.use'

/**
 * Looks up everything that a run of a routine needs, outside of any transaction: its owner as they are now, whether they may,
 * and the message with its values.
 */
export async function prepareFire(
  { senders, procedures, runs, db }: RoutinesContext,
  routine: RoutineRow,
  { fire_id, facts }: { readonly fire_id: string; readonly facts: FireFacts | null },
): Promise<Prepared> {
  const { user_id, routine_id } = routine
  const owner = await senders.owner({ user_id, routine_id, scope: [ALWAYS, ...scopeOf(routine)] })
  if (owner === null) return { refused: say`The account of its owner is disabled.`, pause: 'owner_disabled' }
  const { effect, reason } = await senders.permission(owner, ALWAYS)
  if (effect === 'deny') return { refused: quoted(reason), pause: 'permission' }
  const work = workOf(routine)
  const said = work.kind === 'text' ? messageOf(work.text, facts) : null
  if (said instanceof Sentence) return { refused: said }
  const procedure = work.kind === 'procedure' ? work : null
  if (procedure !== null) {
    if (procedures === null) return { refused: say`Procedures cannot be run here.` }
    const why = await procedures.check(db.read, user_id, procedure)
    if (why !== null) return { refused: why }
  }
  const run_id = newId('run')
  const message: RoutineMessage = {
    message: said ?? (await procedures!.title(db.read, procedure!)),
    title: routine.name,
    engine: work.kind === 'text' ? work.engine : null,
    procedure,
    facts: facts && { source: facts.source, name: facts.name, text: facts.text },
    asks: effect === 'ask' ? [ALWAYS] : [],
    idempotency_key: fire_id,
    run_id,
    bounds: {
      work_ms: routine.run_limit_s * 1000,
      tokens: routine.token_budget,
      calls: routine.call_budget,
      card_ms: routine.card_life_s * 1000,
    },
  }
  try {
    return { run_id, open: await runs.prepare(owner, message) }
  } catch (error) {
    if (error instanceof AppError) return { refused: error.detail }
    throw error
  }
}

/** The message with its values; a sentence where one is missing. */
function messageOf(text: string, facts: FireFacts | null): string | Sentence {
  const parsed = parsePrompt(text)
  const values = new Map(Object.entries(facts?.values ?? {}))
  const missing = parsed.variables.find(({ name }) => !values.has(name))
  if (missing) return say`There is no value for ${missing.name}.`
  return fillPrompt(parsed, values)
}
