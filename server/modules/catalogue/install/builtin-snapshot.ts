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
const Signed = Snapshot.extend({ mac: z.string() })

/** The state of a built-in module, with proof that this installation wrote it. */
export function signSnapshot(vault: Vault, record: ModuleRecord): z.infer<typeof Signed> {
  const snapshot: Snapshot = {
    module: record.name,
    version: versionOf(record),
    enabled: record.enabled,
    settings: { ...record.settings },
    secrets: Object.fromEntries([...record.secrets].map(([key, { sealed }]) => [key, sealed])),
  }
  return { ...snapshot, mac: vault.hmac(PURPOSE, canonicalJson(snapshot)) }
}

/** The snapshot in the manifest of a backup; null when there is none or another installation wrote it. */
export function verifySnapshot(vault: Vault, manifest: Manifest): Snapshot | null {
  const found = Signed.safeParse(manifest._meta?.[BACKUP_META])
  if (!found.success) return null
  const { mac, ...snapshot } = found.data
  // Both are our own HMACs over what the sender knows, so comparing them reveals nothing to the sender.
  return mac === vault.hmac(PURPOSE, canonicalJson(snapshot)) ? snapshot : null
}
