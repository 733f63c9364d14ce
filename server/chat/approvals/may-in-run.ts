import type { Permission } from '../../../contract/route.ts'
import type { Database } from '../../db/database.ts'
import type { Policy, Verdict } from '../ports/policy.ts'
import { runPolicy } from '../run/run-policy.ts'
import { notGranted } from './approval-cards.ts'

/** What the owner of a run may do within it. */
export interface InRun {
  readonly user_id: string
  /** Null when the account is disabled or gone. */
  readonly verdict: Pick<Verdict, 'effect' | 'reason'> | null
}

/**
 * Whether the owner of a run may use a permission within it, under the current rules and never beyond the scope of the
 * token that started it. A permission that asks is allowed where it was approved: for the run itself, on the card
 * before it began, or for its whole conversation. Null when there is no such run.
 */
export async function mayInRun(
  db: Database,
  policy: Policy,
  run_id: string,
  permission: Permission,
): Promise<InRun | null> {
  const run = await db.read
    .selectFrom('run')
    .select(['user_id', 'scope', 'conversation_id', 'started_by'])
    .where('run_id', '=', run_id)
    .executeTakeFirst()
  if (run === undefined) return null
  const { user_id, conversation_id, started_by } = run
  const verdict = (await runPolicy(policy, run))?.permission(permission) ?? null
  if (verdict?.effect !== 'ask') return { user_id, verdict }
  const asks = (await isApprovedForRun(db, run_id, permission))
    ? []
    : await notGranted(db.read, conversation_id, { kind: started_by, user_id }, [permission])
  return { user_id, verdict: asks.length > 0 ? verdict : { ...verdict, effect: 'allow' } }
}

async function isApprovedForRun(db: Database, run_id: string, permission: Permission): Promise<boolean> {
  const cards = await db.read
    .selectFrom('approval')
    .select('arguments')
    .where('run_id', '=', run_id)
    .where('kind', '=', 'run')
    .where('status', '=', 'approved')
    .execute()
  return cards.some((card) =>
    (JSON.parse(card.arguments) as { permissions?: string[] }).permissions?.includes(permission),
  )
}
