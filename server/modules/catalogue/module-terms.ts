import { hashOf } from '../../kernel/text/canonical.ts'
import type { Vault } from '../../kernel/vault.ts'
import type { Capabilities, Instances, SettingField, SettingValue } from '../../../contract/modules.ts'
import { checkSettings } from '../bundle/settings/check-settings.ts'
import { declaredCapabilities, reeveMeta } from '../bundle/manifest/reeve-meta.ts'
import { settingFields } from '../bundle/settings/setting-fields.ts'
import { networkWithHosts } from './settings/named-hosts.ts'
import { remoteFields } from './settings/remote-settings.ts'
import type { ModuleRecord } from './store/module-record.ts'
import { hasExtras } from './store/stored-extras.ts'

/** The settings of a module, in the order of its form. */
export function fieldsOf(record: ModuleRecord): SettingField[] {
  return record.manifest === null ? remoteFields('en') : settingFields(record.manifest)
}

/**
 * The saved values that the current version can use. A setting that an upgrade dropped or gave another type stays saved
 * for a rollback, and counts as not set.
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

/** The purpose a secret is sealed for; it cannot be opened for any other. */
export function secretPurpose(module: string, key: string): string {
  return `module secret\0${module}\0${key}`
}

/** @throws {SealError} when they were sealed with another key than the installation's */
export function openSecrets(vault: Vault, record: ModuleRecord): Readonly<Record<string, string>> {
  return Object.fromEntries(
    sealedKeys(record).map((key) => [
      key,
      vault.open(secretPurpose(record.name, key), record.secrets.get(key)!.sealed),
    ]),
  )
}

/** What it may reach besides what its settings name: as agreed, or else as the bundle declares. */
export function agreedGrants(record: ModuleRecord): Capabilities {
  if (record.grants !== null) return record.grants
  if (record.kind === 'bundle' && record.manifest !== null) return declaredCapabilities(record.manifest)
  return { network: 'none', folders: [], commands: [] }
}

/**
 * The folders and files named by its settings: entering a folder there means letting the module work in it. A default
 * was not entered by anyone, so it grants nothing.
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

/** Everything it may reach now. */
export function effectiveGrants(record: ModuleRecord): Capabilities {
  const agreed = agreedGrants(record)
  const folders = new Map(agreed.folders.map((folder) => [folder.path, folder]))
  for (const { path, write } of namedFolders(fieldsOf(record), usableSettings(record))) {
    folders.set(path, { path, write: write || (folders.get(path)?.write ?? false) })
  }
  return { ...agreed, folders: [...folders.values()] }
}

/** Everything it may reach, with the hosts that its settings name; null where its secrets are not opened. */
export function reachableNow(
  record: ModuleRecord,
  secrets: Readonly<Record<string, SettingValue>> | null,
): Capabilities {
  const grants = effectiveGrants(record)
  const entered = { ...usableSettings(record), ...secrets }
  const fields = fieldsOf(record).filter(({ sensitive }) => secrets !== null || !sensitive)
  return { ...grants, network: networkWithHosts(grants.network, fields, entered) }
}

/** Hash of what enabling agrees to: exactly these bytes, the launch in them, and these grants; or this address. */
export function consentOf(record: ModuleRecord): string {
  return hashOf(
    record.kind === 'remote'
      ? { url: record.url, allow_private: record.allow_private }
      : {
          digest: record.current?.digest ?? '',
          launch: launchTerms(record),
          grants: agreedGrants(record),
          ...extraTerms(record),
        },
  )
}

/** Not there at all where nothing is added: consents from before there were extras stay what they were. */
function extraTerms({ extras }: ModuleRecord): object {
  return hasExtras(extras) ? { extras } : {}
}

function launchTerms(record: ModuleRecord): unknown {
  const { type, entry_point, mcp_config } = record.manifest?.server ?? {}
  return { type, entry_point, mcp_config, platform: process.platform }
}

/**
 * Whether each process runs a module, or one for all of them: as an administrator chose, else as its bundle says. One that
 * says nothing may have data, so there is one of it.
 */
export function instancesOf(record: ModuleRecord): Instances {
  if (record.kind !== 'bundle') return 'stateless'
  return record.instances ?? declaredInstances(record) ?? 'singleton'
}

/** What its bundle says; null: nothing. */
export function declaredInstances({ manifest, kind }: ModuleRecord): Instances | null {
  return kind === 'bundle' && manifest !== null ? (reeveMeta(manifest).instances ?? null) : null
}
