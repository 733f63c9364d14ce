import type { ModuleSettings, SettingField } from '../../../../contract/modules.ts'
import { iso } from '../../../kernel/time.ts'
import { settingFields } from '../../bundle/settings/setting-fields.ts'
import { wordingOf } from '../module-wording.ts'
import type { ModuleRecord } from '../store/module-record.ts'
import { usableSettings } from '../module-terms.ts'
import { remoteFields } from './remote-settings.ts'

/** The settings of a module as its page shows them: for a secret, only whether it is set and since when. */
export function settingsView(record: ModuleRecord, language: string): ModuleSettings {
  const { manifest } = record
  const fields =
    manifest === null
      ? remoteFields(language)
      : settingFields(manifest, null, wordingOf(record, language)).map(withPlainDefault)
  const values: ModuleSettings['values'] = { ...usableSettings(record) }
  for (const { key, sensitive } of fields) {
    if (!sensitive) continue
    const secret = record.secrets.get(key)
    values[key] = { configured: secret !== undefined, updated_at: secret === undefined ? null : iso(secret.updated_at) }
  }
  return { fields, values }
}

/**
 * A default with a variable in it (`${HOME}/notes`) is filled in at the start, so the form leaves the setting empty.
 */
function withPlainDefault(field: SettingField): SettingField {
  const { default: value, ...rest } = field
  const variable = [value].flat().some((each) => typeof each === 'string' && each.includes('${'))
  return variable ? { ...rest, required: false } : field
}
