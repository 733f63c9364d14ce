import type { ModuleSettings, SettingField } from '../../../../contract/modules.ts'
import { iso } from '../../../kernel/time.ts'
import { settingFields } from '../../bundle/settings/setting-fields.ts'
import { wordingOf } from '../module-wording.ts'
import type { ModuleRecord } from '../store/module-record.ts'
import { fieldsOf, TOKEN_DESCRIPTION, TOKEN_TITLE, usableSettings } from '../module-terms.ts'

/** The settings of a module as its page shows them: for a secret, only whether it is set and since when. */
export function settingsView(record: ModuleRecord, language: string): ModuleSettings {
  const { manifest } = record
  const fields =
    manifest === null
      ? fieldsOf(record).map((field) => tokenField(field, language))
      : settingFields(manifest, null, wordingOf(record, language)).map(withPlainDefault)
  const values: ModuleSettings['values'] = { ...usableSettings(record) }
  for (const { key, sensitive } of fields) {
    if (!sensitive) continue
    const secret = record.secrets.get(key)
    values[key] = { configured: secret !== undefined, updated_at: secret === undefined ? null : iso(secret.updated_at) }
  }
  return { fields, values }
}

/** The setting of a remote module is our own. */
function tokenField(field: SettingField, language: string): SettingField {
  return { ...field, title: TOKEN_TITLE.in(language), description: TOKEN_DESCRIPTION.in(language) }
}

/**
 * A default with a variable in it (`${HOME}/notes`) is filled in at the start, so the form leaves the setting empty.
 */
function withPlainDefault(field: SettingField): SettingField {
  const { default: value, ...rest } = field
  const variable = [value].flat().some((each) => typeof each === 'string' && each.includes('${'))
  return variable ? { ...rest, required: false } : field
}
