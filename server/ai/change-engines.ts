import { ENGINE_LIMIT, ENVIRONMENT_ENGINE } from '../../contract/engines.ts'
import type { Caller } from '../../contract/route.ts'
import type { Trx } from '../db/database.ts'
import type { EngineTable } from '../db/rows/engine-tables.ts'
import { AppError } from '../kernel/app-error.ts'
import { newId } from '../kernel/id.ts'
import { say } from '../kernel/sentence.ts'
import { fold } from '../kernel/text/plain-text.ts'
import { engineAddress } from './engine-address.ts'
import { storedRequest } from './engine-request.ts'
import type { EngineConnection, EnginesOptions } from './engines-options.ts'
import { KEY_PURPOSE, type KnownEngine } from './known-engine.ts'
import { requestFor } from './request-for.ts'

export interface EngineChange extends EngineConnection {
  /** Omitted: the one it has; a new one is called like its model. */
  readonly name?: string
  readonly model: string
  /** Omitted: those it has. */
  readonly models?: readonly string[]
  readonly context_tokens: number
  readonly price: { readonly input: number; readonly output: number } | null
  readonly timeout_ms: number
  readonly idle_timeout_ms: number
  readonly role_ids?: readonly string[]
  readonly default?: boolean
  readonly naming?: boolean
  /** Omitted: the one it has. */
  readonly fallback_id?: string | null | undefined
}

interface Written {
  readonly change: EngineChange
  /** Null: a new one. */
  readonly before: KnownEngine | null
  readonly key: string | null
}

/** Stores an engine and says so in the audit log; returns its row. @throws as `Engines.save` */
export async function writeRow(
  trx: Trx,
  { vault, audit, environment }: Pick<EnginesOptions, 'vault' | 'audit' | 'environment'>,
  caller: Caller,
  { change, before, key }: Written,
): Promise<EngineTable> {
  const { provider, model, context_tokens, price, timeout_ms, idle_timeout_ms } = change
  const engine_id = before?.engine_id ?? newId('engine')
  const base_url = engineAddress(change)
  const others = await trx
    .selectFrom('engine')
    .select(['engine_id', 'name_folded', 'is_default'])
    .where('engine_id', '!=', engine_id)
    .execute()
  if (before === null && others.length >= ENGINE_LIMIT)
    throw new AppError('too_many_engines', say`There can be ${ENGINE_LIMIT} engines. Remove one first.`)
  const name = change.name ?? before?.name ?? model
  if (others.some((other) => other.name_folded === fold(name)))
    throw new AppError('engine_exists', say`There is already an engine called “${name}”. Choose another name.`)
  const role_ids = [...new Set(change.role_ids ?? before?.role_ids ?? [])]
  await checkRoles(trx, role_ids, before?.role_ids ?? [])
  const request = requestFor(change, before)
  const fallback_id = change.fallback_id === undefined ? (before?.fallback_id ?? null) : change.fallback_id
  // None can stand in for itself.
  const saved = others.some((other) => other.engine_id === change.fallback_id)
  const fromEnvironment = environment !== null && change.fallback_id === ENVIRONMENT_ENGINE
  if (change.fallback_id != null && !saved && !fromEnvironment)
    throw new AppError('not_found', say`There is no such engine.`)
  const now = Date.now()
  const isDefault = change.default === true || before?.isDefault === true || others.every((one) => one.is_default === 0)
  const isNaming = change.naming ?? before?.isNaming ?? false
  const row: EngineTable = {
    engine_id,
    name,
    name_folded: fold(name),
    provider,
    base_url,
    model,
    models: JSON.stringify([...new Set([model, ...(change.models ?? before?.models ?? [])])]),
    sealed_key: key === null ? null : vault.seal(KEY_PURPOSE, key),
    key_updated_at: key === null ? null : change.api_key === undefined ? (before?.key_updated_at ?? now) : now,
    context_tokens,
    price: price && JSON.stringify({ input_micros: micros(price.input), output_micros: micros(price.output) }),
    timeout_ms,
    idle_timeout_ms,
    role_ids: JSON.stringify(role_ids),
    is_default: isDefault ? 1 : 0,
    is_naming: isNaming ? 1 : 0,
    request: storedRequest(request),
    ollama: request.ollama ? 1 : 0,
    fallback_id,
    updated_at: now,
    updated_by: caller.display_name || caller.username,
  }
  if (isDefault) await trx.updateTable('engine').set({ is_default: 0 }).execute()
  if (isNaming) await trx.updateTable('engine').set({ is_naming: 0 }).execute()
  await trx
    .insertInto('engine')
    .values(row)
    .onConflict((conflict) => conflict.column('engine_id').doUpdateSet(row))
    .execute()
  const details = {
    engine_id,
    name,
    provider,
    base_url,
    model,
    models: JSON.parse(row.models) as string[],
    context_tokens,
    price,
    role_ids,
    default: isDefault,
    naming: isNaming,
    request: { ...request, headers: names(request.headers), query: names(request.query) },
    fallback_id,
    key: change.api_key === undefined ? 'kept' : change.api_key === null ? 'removed' : 'replaced',
  }
  await audit.record(trx, { actor: caller, action: 'engine.updated', target: name, outcome: 'ok', details })
  return row
}

/** Removes an engine with its key; the oldest of the others becomes the default if it was that. */
export async function removeRow(
  trx: Trx,
  { audit }: Pick<EnginesOptions, 'audit'>,
  caller: Caller,
  { engine_id, provider, name, model }: KnownEngine,
): Promise<void> {
  await trx.deleteFrom('engine').where('engine_id', '=', engine_id).execute()
  await trx.deleteFrom('quota').where('engine_id', '=', engine_id).execute()
  await trx.deleteFrom('model_fact').where('engine_id', '=', engine_id).execute()
  await trx.updateTable('engine').set({ fallback_id: null }).where('fallback_id', '=', engine_id).execute()
  const standard = await trx.selectFrom('engine').select('engine_id').where('is_default', '=', 1).executeTakeFirst()
  if (standard === undefined)
    await trx
      .updateTable('engine')
      .set({ is_default: 1 })
      .where('engine_id', '=', (all) => all.selectFrom('engine').select(({ fn }) => fn.min('engine_id').as('oldest')))
      .execute()
  const details = { engine_id, provider, model }
  await audit.record(trx, { actor: caller, action: 'engine.removed', target: name, outcome: 'ok', details })
}

/** A role that is gone may stay where it was: taking it away would let everybody in. @throws {AppError} unknown_role */
async function checkRoles(trx: Trx, role_ids: readonly string[], before: readonly string[]): Promise<void> {
  const added = role_ids.filter((role_id) => !before.includes(role_id))
  if (added.length === 0) return
  const known = await trx.selectFrom('role').select('role_id').where('role_id', 'in', added).execute()
  if (known.length < added.length) throw new AppError('unknown_role', say`Choose one of the roles in the list.`)
}

/** Values may be secrets. */
function names(fields: readonly { readonly name: string }[]): readonly string[] {
  return fields.map(({ name }) => name)
}

function micros(price: number): number {
  return Math.round(price * 1e6)
}
