import type { FireCause } from '../../contract/routine-values.ts'
import { fire, type FireOutcome } from './fire.ts'
import type { RoutinesContext } from './ports.ts'

/** Characters of facts that reach a run; the rest is said to be missing. */
const FACTS_LIMIT = 64 * 1024

/** A reason that comes from elsewhere: somebody's hand, a webhook, a watch. */
export interface FireInput {
  readonly routine_id: string
  /** Once for each: `m:…` by hand, `w:…` of a webhook, `x:…` of a watch. */
  readonly key: `${'m' | 'w' | 'x'}:${string}`
  readonly cause: Exclude<FireCause, 'time'>
  /** Others may have written them: they reach the run as data. */
  readonly facts: Record<string, unknown> | null
  /** What they are called: the webhook, the watch. */
  readonly name?: string
  /** Values of variables of the message, checked. */
  readonly values?: Readonly<Record<string, string>>
  readonly by: { readonly user_id: string; readonly username: string } | null
}

/** Runs a routine now, once for each key. Null when it is gone. */
export async function fireByKey(context: RoutinesContext, input: FireInput): Promise<FireOutcome | null> {
  const { routine_id, key, cause, facts, name = '', values = {}, by } = input
  return fire(context, routine_id, {
    due_key: key,
    cause,
    due_at: await context.now(),
    facts:
      facts === null ? null : { source: cause === 'watch' ? 'watch' : 'hook', name, text: factsText(facts), values },
    by,
  })
}

function factsText(facts: Record<string, unknown>): string {
  const text = JSON.stringify(facts, null, 1)
  return text.length <= FACTS_LIMIT ? text : `${text.slice(0, FACTS_LIMIT)}\n… (${text.length} characters in all)`
}
