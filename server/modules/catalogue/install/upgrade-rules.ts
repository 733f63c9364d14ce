import type { Capabilities, ModuleReview } from '../../../../contract/modules.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import type { Manifest } from '../../bundle/manifest/manifest.ts'
import { bundleOrigin, versionOrder } from '../../bundle/manifest/bundle-origin.ts'
import { settingsIn } from '../../bundle/manifest/expand-text.ts'
import { settingFields } from '../../bundle/settings/setting-fields.ts'
import type { InstalledVersion } from '../store/module-record.ts'

type Candidate = Pick<InstalledVersion, 'digest' | 'version' | 'signature' | 'manifest'>

/**
 * Whether `next` may follow `current`. `repacked`: both are packages that were packed here, so that the same version may hold
 * others than before: for another Python, or of today.
 * @throws {AppError} same_version, publisher_changed, or downgrade unless that is allowed
 */
export function refuseUpgrade(
  current: Candidate,
  next: Candidate,
  { allowDowngrade, repacked }: { readonly allowDowngrade: boolean; readonly repacked: boolean },
): void {
  if (next.digest === current.digest || (next.version === current.version && !repacked)) {
    throw new AppError('same_version', say`Version ${current.version} is installed already.`)
  }
  if (isSigned(current) && !(isSigned(next) && next.signature.fingerprint === current.signature.fingerprint)) {
    throw new AppError(
      'publisher_changed',
      say`The installed version is signed by ${current.signature.signer ?? 'somebody'}, and this bundle is not. Uninstall the module first if you trust it all the same.`,
    )
  }
  if (isOlder(next, current) && !allowDowngrade) {
    throw new AppError('downgrade', say`Version ${current.version} is installed, and ${next.version} is older.`)
  }
}

export function isOlder(next: Pick<Candidate, 'version' | 'manifest'>, current: Pick<Candidate, 'version'>): boolean {
  return versionOrder(bundleOrigin(next.manifest)?.kind)(next.version, current.version) < 0
}

function isSigned({ signature }: Candidate): boolean {
  return signature.state === 'trusted' || signature.state === 'untrusted'
}

export interface Reach extends Pick<ModuleReview, 'command' | 'args' | 'env_keys' | 'capabilities'> {
  /** The settings whose values it may reach as folders or files. */
  readonly folderKeys: readonly string[]
  /** Hosts in settings, with the setting's own value, which counts until somebody enters one. */
  readonly hostDefaults: readonly string[]
}

export function reachOf(review: ModuleReview, manifest: Manifest): Reach {
  const folderKeys = settingFields(manifest)
    .filter(({ type }) => type === 'directory' || type === 'file')
    .map(({ key, type }) => `${type} ${key}`)
  const { network } = review.capabilities
  const named = typeof network === 'string' ? [] : network.flatMap(settingsIn)
  const hostDefaults = settingFields(manifest)
    .filter((field) => named.includes(field.key) && field.default !== undefined)
    .map((field) => JSON.stringify([field.key, field.default]))
  return { ...review, folderKeys, hostDefaults }
}

/** Whether a version runs something different from, or requests more than, the one that was agreed to. */
export function wantsMore(agreed: Reach, next: Reach): boolean {
  const sameLaunch = next.command === agreed.command && JSON.stringify(next.args) === JSON.stringify(agreed.args)
  return (
    !sameLaunch ||
    next.folderKeys.some((key) => !agreed.folderKeys.includes(key)) ||
    next.hostDefaults.some((own) => !agreed.hostDefaults.includes(own)) ||
    next.env_keys.some((key) => !agreed.env_keys.includes(key)) ||
    reachesFurther(agreed.capabilities, next.capabilities)
  )
}

function reachesFurther(agreed: Capabilities, next: Capabilities): boolean {
  const newFolder = next.folders.some(
    ({ path, write }) => !agreed.folders.some((folder) => folder.path === path && (folder.write || !write)),
  )
  return (
    newFolder ||
    (next.helpers === true && agreed.helpers !== true) ||
    next.commands.some((command) => !agreed.commands.includes(command)) ||
    networkGrew(agreed.network, next.network)
  )
}

function networkGrew(agreed: Capabilities['network'], next: Capabilities['network']): boolean {
  if (agreed === 'any' || next === 'none') return false
  if (next === 'any' || agreed === 'none') return true
  return next.some((host) => !agreed.includes(host))
}
