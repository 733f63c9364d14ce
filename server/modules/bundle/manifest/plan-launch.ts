import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { SettingValue } from '../../../../contract/modules.ts'
import type { Launch } from '../../spec/launch.ts'
import { say } from '../../../kernel/sentence.ts'
import { BundleError } from '../bundle-error.ts'
import { expandText, joinList, onlySetting, settingsIn } from './expand-text.ts'
import { launchTemplate } from './launch-template.ts'
import type { Manifest } from './manifest.ts'
import { isSet } from '../settings/missing-settings.ts'
import { shownText } from './shown-text.ts'
import { settingDefault } from '../settings/setting-default.ts'

export interface LaunchContext {
  readonly bundleFolder: string
  readonly dataFolder: string
  /** The value of `${HOME}`. */
  readonly home: string
  /** All settings, secrets included; a setting without a value here takes its default. */
  readonly values: Readonly<Record<string, SettingValue>>
  /** Defaults to the platform of this process. */
  readonly platform?: NodeJS.Platform
}

/**
 * How a bundle is started with these settings. An argument or environment variable that consists only of a setting
 * without a value is left out; within a longer text such a setting is empty. A list becomes one argument per entry; in
 * the environment its entries are joined as in PATH.
 * @throws {BundleError} `bad_manifest` when it would pass a secret on its command line, or its launch leaves the
 * bundle.
 */
export function planLaunch(manifest: Manifest, context: LaunchContext): Launch {
  const { bundleFolder, dataFolder, values } = context
  const template = launchTemplate(manifest, context.platform)
  const secret = secretInArguments(manifest, template)
  if (secret !== null)
    throw new BundleError(
      'bad_manifest',
      say`This bundle would pass a secret (the setting “${shownText(secret)}”) on its command line, where every program can read it, so it cannot be enabled.`,
      'manifest.json',
    )
  const options = manifest.user_config ?? {}
  const valueOf = (key: string): SettingValue | undefined => {
    const option = Object.hasOwn(options, key) ? options[key] : undefined
    const value = Object.hasOwn(values, key) ? values[key] : undefined
    if (option === undefined) return undefined
    const used = isSet(value) ? value : settingDefault(option, context)
    return isSet(used) ? used : undefined
  }
  const textOf = (key: string): string => {
    const value = valueOf(key)
    return Array.isArray(value) ? joinList(value) : value === undefined ? '' : String(value)
  }
  const expand = (text: string): string => expandText(text, context, textOf)

  const args = template.args.flatMap((arg) => {
    const only = onlySetting(arg)
    if (only !== null && valueOf(only) === undefined) return []
    const list = settingsIn(arg).find((key) => isListSetting(manifest, key))
    if (list === undefined) return [expand(arg)]
    const entries = valueOf(list)
    if (entries === undefined) return []
    return [entries]
      .flat()
      .map((entry) => expandText(arg, context, (key) => (key === list ? String(entry) : textOf(key))))
  })
  const env = Object.entries(template.env).flatMap(([name, text]) => {
    const only = onlySetting(text)
    return only !== null && valueOf(only) === undefined ? [] : [[name, expand(text)] as const]
  })
  const launch = { command: commandIn(bundleFolder, expand(template.command)), args, env: Object.fromEntries(env) }
  if ([launch.command, ...args, ...env.map(([, value]) => value)].some((text) => text.includes('\0')))
    throw new BundleError(
      'bad_manifest',
      say`The command line or environment contains a NUL character.`,
      'manifest.json',
    )
  return { ...launch, bundleFolder, dataFolder }
}

/** The key of a secret setting used in the command or an argument; null when there is none. */
export function secretInArguments(
  manifest: Manifest,
  template: { readonly command: string; readonly args: readonly string[] },
): string | null {
  const used = [template.command, ...template.args].flatMap(settingsIn)
  return used.find((key) => isSecret(manifest, key)) ?? null
}

function isSecret({ user_config: options = {} }: Manifest, key: string): boolean {
  return Object.hasOwn(options, key) && options[key]?.sensitive === true
}

function isListSetting({ user_config: options = {} }: Manifest, key: string): boolean {
  const option = Object.hasOwn(options, key) ? options[key] : undefined
  return option?.multiple === true && option.type !== 'number' && option.type !== 'boolean'
}

/**
 * A bare name is looked up in PATH; a relative path starts at the bundle, not at the working directory of the process.
 */
function commandIn(bundleFolder: string, command: string): string {
  if (command.trim() === '')
    throw new BundleError('bad_manifest', say`The bundle names no command to start.`, 'manifest.json')
  if (!command.includes('/')) return command
  const path = isAbsolute(command) ? resolve(command) : resolve(bundleFolder, command)
  const way = relative(bundleFolder, path)
  const outside = way === '..' || way.startsWith(`..${sep}`)
  const meantInside = !isAbsolute(command) || command.startsWith(bundleFolder)
  if (outside && meantInside)
    throw new BundleError('bad_manifest', say`The bundle’s command leads out of the bundle.`, 'manifest.json')
  return path
}
