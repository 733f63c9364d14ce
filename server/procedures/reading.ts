import type { Procedure } from '../../contract/procedure-values.ts'
import type { Caller } from '../../contract/route.ts'
import type { UserPolicy } from '../chat/ports/policy.ts'
import type { ProcedureVersionTable } from '../db/rows/procedure-tables.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import type { ProceduresContext } from './procedures-context.ts'
import type { StoredProcedure } from './stored-procedure.ts'

/** Who reads, and what they may do. */
export interface Reading {
  readonly caller: Caller
  readonly policy: UserPolicy
  readonly reviews: boolean
}

/** @throws {AppError} not_signed_in */
export async function readingOf({ policy }: Pick<ProceduresContext, 'policy'>, caller: Caller): Promise<Reading> {
  const own = await policy.forUser(caller.user_id, caller.scope, caller.kind)
  if (own === null) throw new AppError('not_signed_in', say`Your role has changed. Sign in again.`)
  return { caller, policy: own, reviews: own.permission('procedures.review').effect !== 'deny' }
}

function mayRun({ policy }: Reading, procedure_id: string): boolean {
  return policy.procedure(procedure_id).effect !== 'deny'
}

/** Owners see what is theirs, reviewers all that was ever submitted, and whoever may run it what may run. */
function seesVersion(of: StoredProcedure, row: ProcedureVersionTable, reading: Reading): boolean {
  const { user_id } = reading.caller
  if (row.author_id === user_id) return true
  if (row.state === 'draft') return false
  if (of.row.owner_id === user_id || reading.reviews) return true
  return row.state === 'reviewed' && mayRun(reading, row.procedure_id)
}

export function seen(of: StoredProcedure, reading: Reading): ProcedureVersionTable[] {
  return of.versions.filter((row) => seesVersion(of, row, reading))
}

export function mayOf({ row, versions }: StoredProcedure, reading: Reading): Procedure['may'] {
  const { user_id } = reading.caller
  const open = versions.find(isOpen)
  const isOwner = row.owner_id === user_id
  return {
    edit: open === undefined ? isOwner || reading.reviews : open.state === 'draft' && open.author_id === user_id,
    review: reading.reviews && open?.state === 'in_review' && open.author_id !== user_id,
    run: row.current_version !== null && mayRun(reading, row.procedure_id),
    withdraw:
      (open?.state === 'in_review' && open.author_id === user_id) ||
      (versions.some(({ state }) => state === 'reviewed') && (isOwner || reading.reviews)),
  }
}

/** It is being written, or waits for a review. */
export function isOpen({ state }: Pick<ProcedureVersionTable, 'state'>): boolean {
  return state === 'draft' || state === 'in_review'
}
