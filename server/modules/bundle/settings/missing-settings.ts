import type { SettingField, SettingValue } from '../../../../contract/modules.ts'

/** The required settings that have neither a value nor a default; an empty text or list doesn't count as a value. */
export function missingSettings(
  fields: readonly SettingField[],
  values: Readonly<Record<string, SettingValue>>,
): SettingField[] {
  return fields.filter(
    ({ key, required, default: fallback }) =>
      required && !isSet(Object.hasOwn(values, key) ? values[key] : undefined) && !isSet(fallback),
  )
}

/** Whether a value counts as set. */
export function isSet(value: SettingValue | undefined): value is SettingValue {
  return value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
}
