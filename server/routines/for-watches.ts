import type { Reader } from '../db/database.ts'
import { fireByKey } from './fire-by-key.ts'
import type { FireResult } from '../../contract/routine-values.ts'
import type { RoutinesContext } from './ports.ts'

/** The routines of a person, by name. */
export function routinesOf(reader: Reader, user_id: string): Promise<{ routine_id: string; name: string }[]> {
  return reader
    .selectFrom('routine')
    .select(['routine_id', 'name'])
    .where('user_id', '=', user_id)
    .orderBy('name_folded')
    .execute()
}

/** A watch has crossed its bound: starts a routine with what it saw, once for each `key`. */
export async function fireByWatch(
  context: RoutinesContext,
  { routine_id, key, facts }: { routine_id: string; key: string; facts: Record<string, unknown> },
): Promise<Exclude<FireResult, 'missed'>> {
  const fired = await fireByKey(context, { routine_id, key: `x:${key}`, cause: 'watch', facts, by: null })
  // Only a time can be missed.
  return fired === null || fired.outcome === 'missed' ? 'refused' : fired.outcome
}
