import type { Reader } from '../../db/database.ts'
import { KNOWN_RUN } from '../../db/known-runs.ts'
import { query } from '../../db/statement.ts'
import { DRIVEN } from '../history/active-runs.ts'
import { isFree, type LeaseOwner } from './leases.ts'

/** What may have been left undone by a process that has ended, or is due because time has passed. */
interface Due {
  /** Runs that should have a driver and have none. */
  readonly driven: boolean
  /** Queued messages that may be sent. */
  readonly queued: boolean
  /** Cards whose time to decide is over. */
  readonly expired: boolean
  /** Operations of machines whose end is not known. */
  readonly lost: boolean
}

/** Looks for all of it in one statement, because it is asked all day, and at rest the answer is no. */
export async function whatIsDue(reader: Reader, owner: LeaseOwner, now = Date.now()): Promise<Due> {
  const found = await DUE.first(reader, { now, ...owner })
  return {
    driven: Boolean(found?.driven),
    queued: Boolean(found?.queued),
    expired: Boolean(found?.expired),
    lost: Boolean(found?.lost),
  }
}

const DUE = query((db, is: { now: number; owner: string; alone: number }, _anyOf, now) =>
  db.selectNoFrom(({ exists, selectFrom }) => [
    exists(selectFrom('run').select('run_id').where(DRIVEN).where(KNOWN_RUN).where(isFree(is, now))).as('driven'),
    exists(selectFrom('queued_message').select('queued_id').where('held', '=', 0)).as('queued'),
    exists(
      selectFrom('approval').select('approval_id').where('status', '=', 'pending').where('expires_at', '<=', is.now),
    ).as('expired'),
    exists(
      selectFrom('tool_call_host').select('host_id').where('status', '=', 'unknown').where('op_id', 'is not', null),
    ).as('lost'),
  ]),
)
