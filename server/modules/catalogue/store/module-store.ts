import { Capabilities, type SettingValue } from '../../../../contract/modules.ts'
import type { Reader } from '../../../db/database.ts'
import type { ModuleVersionTable } from '../../../db/rows/module-tables.ts'
import { Manifest } from '../../bundle/manifest/manifest.ts'
import { reeveMeta } from '../../bundle/manifest/reeve-meta.ts'
import { readSignature } from '../../bundle/signature/found-signature.ts'
import type { NativeFile, UnpackedBundle } from '../../bundle/archive/unpacked-bundle.ts'
import { EVERYBODY, stateOf } from '../../connections/connection-rows.ts'
import type { BuiltinModule } from '../../spec/builtin-module.ts'
import { type InstalledVersion, type ModuleRecord, untouchedBuiltin } from './module-record.ts'
import { readExtras } from './stored-extras.ts'

/**
 * Every module by name: those with rows, and built-ins without any. Rows of built-ins that no longer exist are left
 * out.
 */
export async function readRecords(
  db: Reader,
  builtins: ReadonlyMap<string, BuiltinModule>,
): Promise<ReadonlyMap<string, ModuleRecord>> {
  const rows = await db.selectFrom('module').selectAll().execute()
  const versions = await db
    .selectFrom('module_version')
    .select(['module', 'digest', 'version', 'manifest', 'signature', 'size', 'probe', 'installed_at', 'stored_as'])
    .orderBy('installed_at', 'desc')
    .execute()
  const secrets = await db.selectFrom('module_secret').selectAll().execute()
  const pins = await db.selectFrom('module_pin').select(['module', 'tool', 'definition_hash']).execute()
  const connections = await db.selectFrom('module_connection').selectAll().where('owner', '=', EVERYBODY).execute()

  const records = new Map<string, ModuleRecord>()
  for (const [name, builtin] of builtins) records.set(name, untouchedBuiltin(builtin))
  for (const row of rows) {
    const plain = row.kind === 'builtin' ? records.get(row.module) : undefined
    if (row.kind === 'builtin' && plain === undefined) continue
    const installed = versions.filter(({ module }) => module === row.module).flatMap(toVersion)
    const current = installed.find(({ digest }) => digest === row.digest) ?? null
    records.set(row.module, {
      name: row.module,
      kind: row.kind,
      display_name: plain?.display_name ?? row.display_name,
      builtin: plain?.builtin ?? null,
      manifest: plain?.manifest ?? current?.manifest ?? null,
      url: row.url,
      allow_private: row.allow_private === 1,
      enabled: row.enabled === 1,
      removed: row.removed === 1,
      settings: JSON.parse(row.settings) as Record<string, SettingValue>,
      secrets: new Map(
        secrets
          .filter(({ module }) => module === row.module)
          .map(({ key, sealed, updated_at }) => [key, { sealed, updated_at: Number(updated_at) }]),
      ),
      grants: row.grants === null ? null : Capabilities.parse(JSON.parse(row.grants)),
      consent: row.consent,
      memory_mib: row.memory_mib,
      instances: row.instances,
      log_level: row.log_level,
      extras: readExtras(row.extras),
      pins: new Map(
        pins.filter(({ module }) => module === row.module).map(({ tool, definition_hash }) => [tool, definition_hash]),
      ),
      connection: connections.filter(({ module }) => module === row.module).map(stateOf)[0] ?? null,
      current,
      versions: installed,
      created_at: row.created_at,
      updated_at: row.updated_at,
    })
  }
  return records
}

/** The files of an installed version, possibly tens of thousands; null when there is no such version. */
export async function readContent(
  db: Reader,
  module: string,
  digest: string,
): Promise<Pick<UnpackedBundle, 'files' | 'natives'> | null> {
  const row = await db
    .selectFrom('module_version')
    .select(['files', 'natives'])
    .where('module', '=', module)
    .where('digest', '=', digest)
    .executeTakeFirst()
  if (row === undefined) return null
  return { files: JSON.parse(row.files) as Record<string, string>, natives: JSON.parse(row.natives) as NativeFile[] }
}

/**
 * Empty for a version whose manifest this program does not (or no longer) understand, so that it doesn't fail the
 * others.
 */
function toVersion(row: Omit<ModuleVersionTable, 'files' | 'natives'>): InstalledVersion[] {
  const manifest = readManifest(row.manifest)
  if (manifest === null) return []
  return [
    {
      digest: row.digest,
      version: row.version,
      manifest,
      signature: readSignature(row.signature),
      size: row.size,
      probe: row.probe === null ? undefined : (JSON.parse(row.probe) as unknown),
      installed_at: row.installed_at,
      stored_as: row.stored_as ?? row.digest,
    },
  ]
}

function readManifest(text: string): Manifest | null {
  try {
    const manifest = Manifest.parse(JSON.parse(text))
    reeveMeta(manifest)
    return manifest
  } catch {
    return null
  }
}
