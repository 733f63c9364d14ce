import type { ModuleAddition } from '../../../../contract/module-additions.ts'
import type { Caller } from '../../../../contract/route.ts'
import type { Database } from '../../../db/database.ts'
import type { ModuleAdditionTable } from '../../../db/rows/module-tables.ts'
import { iso } from '../../../kernel/time.ts'
import { Sentence } from '../../../kernel/sentence.ts'

/** How far an addition is. */
export type Progress = Pick<ModuleAdditionTable, 'step' | 'done' | 'total'>

export interface Steps {
  readonly caller: Caller
  readonly signal: AbortSignal
  progress(at: Progress): void
}

/** How often a process says that it is still at work, and how long its silence may last, in milliseconds. */
export const BEAT = 2000
const SILENCE = 30_000
const SHOWN = 20
const KEPT_MS = 7 * 24 * 3_600_000

/** The newest additions. What its process no longer works on has ended. */
export async function listAdditions(db: Database, language: string): Promise<ModuleAddition[]> {
  await db.write
    .updateTable('module_addition')
    .set({ state: 'ended' })
    .where('state', 'in', ['running', 'stopping'])
    .where('seen_at', '<', Date.now() - SILENCE)
    .execute()
  const rows = await db.write
    .selectFrom('module_addition')
    .selectAll()
    .orderBy('started_at', 'desc')
    .orderBy('addition_id', 'desc')
    .limit(SHOWN)
    .execute()
  return rows.map((row) => additionOf(row, language))
}

export function additionOf(row: ModuleAdditionTable, language: string): ModuleAddition {
  const { addition_id, source, state, step, done, total, module, problem, started_at } = row
  return {
    addition_id,
    source,
    state: state === 'stopping' ? 'running' : state,
    step,
    done,
    total,
    module,
    problem: problem === null ? null : Sentence.unpack(JSON.parse(problem)).in(language),
    started_at: iso(started_at),
  }
}

export async function insertAddition(db: Database, row: ModuleAdditionTable): Promise<void> {
  await db.write
    .deleteFrom('module_addition')
    .where('started_at', '<', row.started_at - KEPT_MS)
    .execute()
  await db.write.insertInto('module_addition').values(row).execute()
}

/** Says how far it is. False once it shall stop: somebody cancelled it, or it counts as ended. */
export async function beat(db: Database, addition_id: string, at: Progress): Promise<boolean> {
  const { numUpdatedRows } = await db.write
    .updateTable('module_addition')
    .set({ ...at, seen_at: Date.now() })
    .where('addition_id', '=', addition_id)
    .where('state', '=', 'running')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function endAddition(
  db: Database,
  addition_id: string,
  end: Pick<ModuleAdditionTable, 'state'> & Partial<Pick<ModuleAdditionTable, 'module' | 'problem'>>,
): Promise<void> {
  await db.write.updateTable('module_addition').set(end).where('addition_id', '=', addition_id).execute()
}

/** Null when there is no such addition. One that runs is asked to stop, whichever process does it. */
export async function stopAddition(db: Database, addition_id: string): Promise<ModuleAdditionTable | null> {
  await db.write
    .updateTable('module_addition')
    .set({ state: 'stopping' })
    .where('addition_id', '=', addition_id)
    .where('state', '=', 'running')
    .execute()
  const row = await db.write
    .selectFrom('module_addition')
    .selectAll()
    .where('addition_id', '=', addition_id)
    .executeTakeFirst()
  return row ?? null
}
