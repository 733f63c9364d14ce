import { z } from 'zod'
import { SettingValue } from '../../../../contract/modules.ts'
import { canonicalJson } from '../../../kernel/text/canonical.ts'
import type { Vault } from '../../../kernel/vault.ts'
import type { Manifest } from '../../bundle/manifest/manifest.ts'
import { type ModuleRecord, versionOf } from '../store/module-record.ts'

/** Key in a manifest's `_meta` under which the backup of a built-in module keeps the module's state. */
export const BACKUP_META = 'dev.reeve.backup'
const PURPOSE = 'backup of a built-in module'

const Snapshot = z.strictObject({
  module: z.string(),
  version: z.string(),
  enabled: z.boolean(),
  settings: z.record(z.string(), SettingValue),
  /** Sealed as in the database. */
  secrets: z.record(z.string(), z.string()),
})
export type Snapshot = z.infer<typeof Snapshot>
export const SignedSnapshot = Snapshot.extend({ mac: z.string() })
export type SignedSnapshot = z.infer<typeof SignedSnapshot>

/** The state of a built-in module, with proof that this installation wrote it. */
export function signSnapshot(vault: Vault, record: ModuleRecord): SignedSnapshot {
  const snapshot: Snapshot = {
    module: record.name,
    version: versionOf(record),
    enabled: record.enabled,
    settings: { ...record.settings },
    secrets: Object.fromEntries([...record.secrets].map(([key, { sealed }]) => [key, sealed])),
  }
  return { ...snapshot, mac: vault.hmac(PURPOSE, canonicalJson(snapshot)) }
}

/** What the manifest of a backup has of it, whoever wrote it; null when there is none. */
export function signedIn(manifest: Manifest): SignedSnapshot | null {
  return SignedSnapshot.safeParse(manifest._meta?.[BACKUP_META]).data ?? null
}

/** The snapshot, null when there is none or another installation wrote it. */
export function verifySnapshot(vault: Vault, signed: SignedSnapshot | null): Snapshot | null {
  if (signed === null) return null
  const { mac, ...snapshot } = signed
  // Both are our own HMACs over what the sender knows, so comparing them reveals nothing to the sender.
  return mac === vault.hmac(PURPOSE, canonicalJson(snapshot)) ? snapshot : null
}
