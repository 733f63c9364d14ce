import { checkSettings } from '../settings/check-settings.ts'
import { settingsIn } from '../manifest/expand-text.ts'
import type { LaunchTemplate } from '../manifest/launch-template.ts'
import type { Lint } from './lint.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { ReeveMeta, reeveMeta } from '../manifest/reeve-meta.ts'
import { settingDefault } from '../settings/setting-default.ts'
import { settingFields } from '../settings/setting-fields.ts'

/** Findings about `user_config` and what `_meta["dev.reeve"]` says about it. */
export function lintSettings(manifest: Manifest, template: LaunchTemplate): Lint[] {
  const lints: Lint[] = []
  const options = manifest.user_config ?? {}
  const used = new Set([template.command, ...template.args, ...Object.values(template.env)].flatMap(settingsIn))
  for (const [key, option] of Object.entries(options)) {
    const add = (code: string, level: Lint['level'], message: string): void => {
      lints.push({ code, level, message, path: `user_config.${key}` })
    }
    const text = option.type !== 'number' && option.type !== 'boolean'
    if (!/^[A-Za-z_][\w-]*$/.test(key))
      add('odd_key', 'warn', 'Use only letters, digits and “_” in the keys of settings.')
    if (!used.has(key)) add('unused_setting', 'warn', 'The launch never uses it, so the server cannot know its value.')
    if (option.title.trim() === '' || option.description.trim() === '') add('no_text', 'warn', 'Say what it is for.')
    if (option.sensitive === true && option.default !== undefined && option.default !== '')
      add('secret_default', 'error', 'A secret in the manifest is not secret.')
    if (option.sensitive === true && option.type !== 'string')
      add('secret_type', 'warn', 'Only settings of type “string” can be secret.')
    if (option.min !== undefined && option.max !== undefined && option.min > option.max)
      add('empty_range', 'error', '“min” is more than “max”.')
    if ((option.min !== undefined || option.max !== undefined) && option.type !== 'number')
      add('range_of_text', 'warn', '“min” and “max” only apply to numbers.')
    if (option.multiple === true && option.type !== 'directory' && option.type !== 'file')
      add('multiple', 'warn', 'Other hosts support lists only for directories and files.')
    if (text && typeof option.default === 'boolean')
      add('bad_default', 'error', 'The default is not of the type of the setting.')
    if (option.required === true && settingDefault(option, null) !== undefined)
      add('required_default', 'info', 'With a default it never has to be filled in, so “required” has no effect.')
  }
  const home = { bundleFolder: '/bundle', home: '/home/module' }
  const fields = settingFields(manifest, home)
  const defaults = fields.flatMap((field) => (field.default === undefined ? [] : [[field.key, field.default] as const]))
  for (const { path, message } of checkSettings(fields, Object.fromEntries(defaults)))
    lints.push({
      code: 'bad_default',
      level: 'error',
      path: `user_config.${path}.default`,
      message: message.toString(),
    })

  const meta = reeveMeta(manifest)
  const own = '_meta["dev.reeve"]'
  for (const key of Object.keys(meta))
    if (!(key in ReeveMeta.shape))
      lints.push({
        code: 'unknown_key',
        level: 'warn',
        path: `${own}.${key}`,
        message: 'Reeve does not know this key.',
      })
  for (const [key, overlay] of Object.entries(meta.settings ?? {})) {
    const option = Object.hasOwn(options, key) ? options[key] : undefined
    const path = `${own}.settings.${key}`
    if (option === undefined)
      lints.push({
        code: 'unknown_setting',
        level: 'error',
        path,
        message: 'There is no such setting in “user_config”.',
      })
    else if (option.type !== 'string' && (overlay.pattern !== undefined || overlay.multiline !== undefined))
      lints.push({
        code: 'overlay_type',
        level: 'warn',
        path,
        message: '“pattern” and “multiline” only apply to settings of type “string”.',
      })
  }
  return lints
}
