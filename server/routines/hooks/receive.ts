import { buffer } from 'node:stream/consumers'
import { type FireResult } from '../../../contract/routine-values.ts'
import { fits, parsePrompt } from '../../../contract/variables.ts'
import type { Database } from '../../db/database.ts'
import type { RoutineHookTable } from '../../db/rows/routine-tables.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { SealError, type Vault } from '../../kernel/vault.ts'
import { fireByKey } from '../fire-by-key.ts'
import type { RoutinesContext } from '../ports.ts'
import { AlertGroup, keyOfGroup } from './alertmanager.ts'
import { sealingOf, tokenHash } from './hooks.ts'
import { bearerOf, provenDelivery, same, type SignedHeaders } from './prove.ts'

/** How often the time of the last use is written, in milliseconds. */
const USED_EVERY = 60_000

interface Delivery {
  readonly key: string
  readonly facts: Record<string, unknown>
  /** From which variables may be filled. */
  readonly labels: Readonly<Record<string, unknown>>
}

/**
 * What somebody posts to a webhook: runs its routine once for each delivery, after it has proved itself. Whatever is wrong
 * answers like a webhook that does not exist. The outcome is null where there is nothing to run for.
 * @throws {AppError} not_found
 */
export async function receiveHook(
  context: RoutinesContext,
  hook_id: string,
  headers: SignedHeaders & { readonly authorization?: string | undefined },
  body: AsyncIterable<Uint8Array>,
): Promise<FireResult | null> {
  const { db, vault } = context
  const hook = await db.read.selectFrom('routine_hook').selectAll().where('hook_id', '=', hook_id).executeTakeFirst()
  if (hook === undefined) throw unknownHook()
  const now = await context.now()
  const bytes = await buffer(body)
  const delivery =
    hook.kind === 'generic'
      ? signedDelivery(vault, hook, headers, bytes, now)
      : alertDelivery(vault, hook, headers.authorization, bytes)
  await used(db, hook, now)
  if (delivery === 'nothing') return null
  const routine = await db.read
    .selectFrom('routine')
    .select(['text'])
    .where('routine_id', '=', hook.routine_id)
    .executeTakeFirst()
  const fired = await fireByKey(context, {
    routine_id: hook.routine_id,
    key: `w:${delivery.key}`,
    cause: 'hook',
    facts: delivery.facts,
    name: hook.kind,
    values: routine === undefined ? {} : valuesOf(routine.text, hook, delivery.labels),
    by: null,
  })
  if (fired === null) throw unknownHook()
  return fired.outcome
}

/** @throws {AppError} not_found */
function signedDelivery(
  vault: Vault,
  { hook_id, secret_sealed }: RoutineHookTable,
  headers: SignedHeaders,
  bytes: Buffer,
  now: number,
): Delivery {
  const secret = open(vault, hook_id, secret_sealed)
  const id = secret === null ? null : provenDelivery(headers, bytes, secret, now)
  if (id === null) throw unknownHook()
  const facts = objectIn(bytes)
  return { key: `${hook_id} ${id}`, facts, labels: facts }
}

/** @throws {AppError} not_found */
function alertDelivery(
  vault: Vault,
  { hook_id, token_hash, resolved }: RoutineHookTable,
  authorization: string | undefined,
  bytes: Buffer,
): Delivery | 'nothing' {
  const token = bearerOf(authorization)
  if (token === null || token_hash === null) throw unknownHook()
  if (!same(Buffer.from(tokenHash(vault, token)), Buffer.from(token_hash))) throw unknownHook()
  const facts = objectIn(bytes)
  const group = AlertGroup.safeParse(facts)
  // From here on it is proven: what it says may be told.
  if (!group.success) throw new AppError('invalid_request', say`This is not a notification of Alertmanager.`)
  if (group.data.status === 'resolved' && resolved === 0) return 'nothing'
  return { key: `${hook_id} ${keyOfGroup(group.data)}`, facts, labels: group.data.commonLabels }
}

/** A JSON object as it is; anything else as text in one. */
function objectIn(bytes: Buffer): Record<string, unknown> {
  const text = bytes.toString('utf8')
  try {
    const value = JSON.parse(text) as unknown
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
    return { value }
  } catch {
    return { text }
  }
}

/** Declared labels with values that fit their variables; a value that does not fit is no value. */
function valuesOf(text: string, hook: RoutineHookTable, labels: Delivery['labels']): Record<string, string> {
  const declared = new Map(Object.entries(JSON.parse(hook.labels) as Record<string, string>))
  const values: Record<string, string> = {}
  for (const variable of parsePrompt(text).variables) {
    const label = declared.get(variable.name)
    if (label === undefined || variable.type === 'text' || !Object.hasOwn(labels, label)) continue
    const value = labels[label]
    const said = typeof value === 'string' || typeof value === 'number' ? String(value) : null
    if (said !== null && fits(variable, said)) values[variable.name] = said
  }
  return values
}

async function used(db: Database, { hook_id, used_at }: RoutineHookTable, now: number): Promise<void> {
  if (used_at !== null && Math.abs(now - Number(used_at)) < USED_EVERY) return
  await db.write.updateTable('routine_hook').set({ used_at: now }).where('hook_id', '=', hook_id).execute()
}

function open(vault: Vault, hook_id: string, sealed: string | null): string | null {
  if (sealed === null) return null
  try {
    return vault.open(sealingOf(hook_id), sealed)
  } catch (error) {
    if (error instanceof SealError) return null
    throw error
  }
}

function unknownHook(): AppError {
  return new AppError('not_found', say`There is no such webhook.`)
}
