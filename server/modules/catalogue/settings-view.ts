import type { ModuleSettings, SettingField } from '../../../contract/modules.ts'
import { iso } from '../../kernel/time.ts'
import type { ModuleRecord } from './module-record.ts'
import { fieldsOf, usableSettings } from './module-terms.ts'

/** The settings of a module as its page shows them: of a secret only whether there is one, and since when. */
export function settingsView(record: ModuleRecord): ModuleSettings {
  const fields = fieldsOf(record).map(withPlainDefault)
  const values: ModuleSettings['values'] = { ...usableSettings(record) }
  for (const { key, sensitive } of fields) {
    if (!sensitive) continue
    const secret = record.secrets.get(key)
    values[key] = { configured: secret !== undefined, updated_at: secret === undefined ? null : iso(secret.updated_at) }
  }
  return { fields, values }
}

/** A default with a variable in it (`${HOME}/notes`) is filled in at the start: the form leaves such a setting empty. */
function withPlainDefault(field: SettingField): SettingField {
  const { default: value, ...rest } = field
  const variable = [value].flat().some((each) => typeof each === 'string' && each.includes('${'))
  return variable ? { ...rest, required: false } : field
}
