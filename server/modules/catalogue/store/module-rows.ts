import type { Trx } from '../../../db/database.ts'
import type { ModuleTable } from '../../../db/rows/module-tables.ts'
import type { ModuleRecord } from './module-record.ts'
import { storedExtras } from './stored-extras.ts'

type Changes = Partial<Omit<ModuleTable, 'module' | 'kind' | 'created_at' | 'updated_at'>>

/** Changes or creates the row of a module; a built-in has none until something differs from its defaults. */
export async function saveRow(trx: Trx, record: ModuleRecord, changes: Changes, now: number): Promise<void> {
  const row: ModuleTable = {
    module: record.name,
    kind: record.kind,
    display_name: record.display_name,
    url: record.url,
    allow_private: record.allow_private ? 1 : 0,
    digest: record.current?.digest ?? null,
    enabled: record.enabled ? 1 : 0,
    removed: record.removed ? 1 : 0,
    settings: JSON.stringify(record.settings),
    grants: record.grants === null ? null : JSON.stringify(record.grants),
    consent: record.consent,
    memory_mib: record.memory_mib,
    instances: record.instances,
    log_level: record.log_level,
    extras: storedExtras(record.extras),
    created_at: now,
    updated_at: now,
  }
  await trx
    .insertInto('module')
    .values({ ...row, ...changes })
    .onConflict((conflict) => conflict.column('module').doUpdateSet({ ...changes, updated_at: now }))
    .execute()
}

/** Stores a sealed secret of a module. */
export async function saveSecret(trx: Trx, module: string, key: string, sealed: string, now: number): Promise<void> {
  await trx
    .insertInto('module_secret')
    .values({ module, key, sealed, updated_at: now })
    .onConflict((conflict) => conflict.columns(['module', 'key']).doUpdateSet({ sealed, updated_at: now }))
    .execute()
}

/** Records that these tool definitions were agreed to. */
export async function savePins(
  trx: Trx,
  module: string,
  tools: readonly { readonly name: string; readonly definition_hash: string }[],
  now: number,
): Promise<void> {
  for (const { name, definition_hash } of tools) {
    await trx
      .insertInto('module_pin')
      .values({ module, tool: name, definition_hash, agreed_at: now })
      .onConflict((conflict) => conflict.columns(['module', 'tool']).doUpdateSet({ definition_hash, agreed_at: now }))
      .execute()
  }
}
