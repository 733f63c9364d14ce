import { hashOf } from '../../kernel/canonical.ts'
import type { Vault } from '../../kernel/vault.ts'
import type { Capabilities, SettingField, SettingValue } from '../../../contract/modules.ts'
import { checkSettings } from '../bundle/check-settings.ts'
import { declaredCapabilities } from '../bundle/reeve-meta.ts'
import { settingFields } from '../bundle/setting-fields.ts'
import type { ModuleRecord } from './module-record.ts'

/** Key of the one setting that a remote module has. */
export const TOKEN = 'token'
const TOKEN_FIELD: SettingField = {
  key: TOKEN,
  type: 'string',
  title: 'Access token',
  description: 'Sent to the server as Authorization: Bearer.',
  required: false,
  sensitive: true,
  multiple: false,
  multiline: false,
}

/** The settings that a module has, in the order of its form. */
export function fieldsOf(record: ModuleRecord): SettingField[] {
  return record.manifest === null ? [TOKEN_FIELD] : settingFields(record.manifest)
}

/**
 * The saved values that count for the current version. What an upgrade dropped or gave another type stays saved for the version that
 * it may go back to, and counts as not set.
 */
export function usableSettings(record: ModuleRecord): Readonly<Record<string, SettingValue>> {
  const values: Record<string, SettingValue> = {}
  for (const field of fieldsOf(record)) {
    const value = field.sensitive || !Object.hasOwn(record.settings, field.key) ? undefined : record.settings[field.key]
    if (value !== undefined && checkSettings([field], { [field.key]: value }).length === 0) values[field.key] = value
  }
  return values
}

function sealedKeys(record: ModuleRecord): string[] {
  return fieldsOf(record)
    .filter(({ key, sensitive }) => sensitive && record.secrets.has(key))
    .map(({ key }) => key)
}

/** What a secret is sealed for: it opens as nothing else. */
export function secretPurpose(module: string, key: string): string {
  return `module secret\0${module}\0${key}`
}

/** @throws {SealError} when the installation's key is not the one that they were sealed with */
export function openSecrets(vault: Vault, record: ModuleRecord): Readonly<Record<string, string>> {
  return Object.fromEntries(
    sealedKeys(record).map((key) => [
      key,
      vault.open(secretPurpose(record.name, key), record.secrets.get(key)!.sealed),
    ]),
  )
}

/** What it may reach beside what its settings name: as agreed, else as the bundle declares. */
export function agreedGrants(record: ModuleRecord): Capabilities {
  if (record.grants !== null) return record.grants
  if (record.kind === 'bundle' && record.manifest !== null) return declaredCapabilities(record.manifest)
  return { network: 'none', folders: [], commands: [] }
}

/**
 * The folders and files that its settings name: who enters a folder there wants the module to work in it. What a bundle has as a default
 * nobody has entered, so it gives nothing.
 */
export function namedFolders(
  fields: readonly SettingField[],
  values: Readonly<Record<string, SettingValue>>,
): { key: string; path: string; write: boolean }[] {
  return fields
    .filter(({ type }) => type === 'directory' || type === 'file')
    .flatMap(({ key, type }) => {
      const value = values[key] ?? []
      return (Array.isArray(value) ? value : [String(value)])
        .filter((path) => path.startsWith('/'))
        .map((path) => ({ key, path, write: type === 'directory' }))
    })
}

/** All that it may reach now. */
export function effectiveGrants(record: ModuleRecord): Capabilities {
  const agreed = agreedGrants(record)
  const folders = new Map(agreed.folders.map((folder) => [folder.path, folder]))
  for (const { path, write } of namedFolders(fieldsOf(record), usableSettings(record))) {
    folders.set(path, { path, write: write || (folders.get(path)?.write ?? false) })
  }
  return { ...agreed, folders: [...folders.values()] }
}

/** What somebody agrees to by enabling: exactly these bytes, this launch (which is in them), these grants; or this address. */
export function consentOf(record: ModuleRecord): string {
  return hashOf(
    record.kind === 'remote'
      ? { url: record.url, allow_private: record.allow_private }
      : { digest: record.current?.digest ?? '', launch: launchOf(record), grants: agreedGrants(record) },
  )
}

function launchOf(record: ModuleRecord): unknown {
  const { type, entry_point, mcp_config } = record.manifest?.server ?? {}
  return { type, entry_point, mcp_config, platform: process.platform }
}
