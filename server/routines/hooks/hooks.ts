import { randomBytes } from 'node:crypto'
import { type HookKind, HOOKS_LIMIT, type RoutineHook } from '../../../contract/routine-values.ts'
import type { Caller } from '../../../contract/route.ts'
import { parsePrompt } from '../../../contract/variables.ts'
import type { RoutineHookTable } from '../../db/rows/routine-tables.ts'
import { AppError } from '../../kernel/app-error.ts'
import { newId, newSecret } from '../../kernel/id.ts'
import { say } from '../../kernel/sentence.ts'
import { iso, isoOrNull } from '../../kernel/time.ts'
import type { Vault } from '../../kernel/vault.ts'
import { holdRoutine } from '../fire.ts'
import type { RoutinesContext } from '../ports.ts'
import { findRoutine, noRoutine, type RoutineRow } from '../routine-rows.ts'

/** Makes a leaked token recognisable, to people and to scanners. */
const TOKEN_PREFIX = 'rvh_'
const SECRET_BYTES = 32

export interface NewHook {
  readonly kind: HookKind
  readonly labels: Readonly<Record<string, string>>
  readonly resolved: boolean
}

function hookPath(hook_id: string): string {
  return `/api/hooks/${hook_id}`
}

export function tokenHash(vault: Vault, token: string): string {
  return vault.hmac('routine hook', token)
}

export function sealingOf(hook_id: string): string {
  return `routine hook ${hook_id}`
}

/** The webhooks of a routine, without their secrets. @throws {AppError} not_found */
export async function listHooks({ db }: RoutinesContext, caller: Caller, routine_id: string): Promise<RoutineHook[]> {
  await findRoutine(db.read, caller.user_id, routine_id)
  const rows = await db.read
    .selectFrom('routine_hook')
    .selectAll()
    .where('routine_id', '=', routine_id)
    .orderBy('hook_id')
    .execute()
  return rows.map(toHook)
}

/** Adds one; its secret is nowhere else. @throws {AppError} not_found, too_many_hooks, bad_routine */
export async function addHook(
  context: RoutinesContext,
  caller: Caller,
  routine_id: string,
  { kind, labels, resolved }: NewHook,
): Promise<{ hook: RoutineHook; secret: string }> {
  const { db, vault, audit, onChanged } = context
  const now = await context.now()
  const hook_id = newId('hook')
  const secret =
    kind === 'generic' ? `whsec_${randomBytes(SECRET_BYTES).toString('base64')}` : TOKEN_PREFIX + newSecret()
  const row: RoutineHookTable = {
    hook_id,
    routine_id,
    kind,
    secret_sealed: kind === 'generic' ? vault.seal(sealingOf(hook_id), secret) : null,
    token_hash: kind === 'alertmanager' ? tokenHash(vault, secret) : null,
    labels: JSON.stringify(labels),
    resolved: resolved ? 1 : 0,
    created_at: now,
    used_at: null,
  }
  await db.transaction(async (trx) => {
    const routine = await holdRoutine(context, trx, routine_id)
    if (routine === undefined || routine.user_id !== caller.user_id) throw noRoutine()
    checkLabels(routine, labels)
    const { count } = await trx
      .selectFrom('routine_hook')
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .where('routine_id', '=', routine_id)
      .executeTakeFirstOrThrow()
    if (Number(count) >= HOOKS_LIMIT)
      throw new AppError('too_many_hooks', say`A routine may have at most ${HOOKS_LIMIT} webhooks. Remove one first.`)
    await trx.insertInto('routine_hook').values(row).execute()
    const details = { routine: routine.name, kind, hook_id }
    await audit.record(trx, {
      actor: caller,
      action: 'routine.hook_added',
      target: routine_id,
      outcome: 'ok',
      details,
    })
    await onChanged(trx, routine.user_id, routine_id)
  })
  return { hook: toHook(row), secret }
}

/** @throws {AppError} not_found */
export async function removeHook(
  context: RoutinesContext,
  caller: Caller,
  { routine_id, hook_id }: { readonly routine_id: string; readonly hook_id: string },
): Promise<void> {
  const { db, audit, onChanged } = context
  await db.transaction(async (trx) => {
    const routine = await holdRoutine(context, trx, routine_id)
    if (routine === undefined || routine.user_id !== caller.user_id) throw noRoutine()
    const gone = await trx
      .deleteFrom('routine_hook')
      .where('hook_id', '=', hook_id)
      .where('routine_id', '=', routine_id)
      .executeTakeFirst()
    if (gone.numDeletedRows === 0n) throw new AppError('not_found', say`There is no such webhook.`)
    const details = { routine: routine.name, hook_id }
    await audit.record(trx, {
      actor: caller,
      action: 'routine.hook_removed',
      target: routine_id,
      outcome: 'ok',
      details,
    })
    await onChanged(trx, routine.user_id, routine_id)
  })
}

/**
 * Only a variable that takes a number, a day, a machine or one of some choices is filled from outside: free text would
 * become part of the message. @throws {AppError} bad_routine
 */
function checkLabels(routine: RoutineRow, labels: NewHook['labels']): void {
  const known = new Map(parsePrompt(routine.text).variables.map((variable) => [variable.name, variable]))
  for (const name of Object.keys(labels)) {
    const variable = known.get(name)
    if (variable === undefined) throw new AppError('bad_routine', say`The message has no variable ${name}.`)
    const typed = `{{${name}:host}}`
    if (variable.type === 'text')
      throw new AppError(
        'bad_routine',
        say`${name} takes any text, so a webhook cannot fill it: give it a type, such as ${typed}.`,
      )
  }
}

function toHook(row: RoutineHookTable): RoutineHook {
  return {
    hook_id: row.hook_id,
    kind: row.kind,
    path: hookPath(row.hook_id),
    labels: JSON.parse(row.labels) as Record<string, string>,
    resolved: row.resolved === 1,
    created_at: iso(Number(row.created_at)),
    used_at: isoOrNull(row.used_at),
  }
}
