import type { ModuleSettings, SettingField, SettingValue } from '../../../contract/modules.ts'

export type StoredValue = ModuleSettings['values'][string] | undefined
/** The value of a control: a string for texts, numbers, choices and paths. */
export type SettingDraft = string | boolean | readonly string[]
/** Unsaved changes by key; a field changed back to its stored value is not included. */
export type Drafts = ReadonlyMap<string, SettingDraft>

/** A field's initial value: the stored value, else the default, else nothing. */
export function shownValue(field: SettingField, stored: StoredValue): SettingDraft {
  const value = field.sensitive || isSecretState(stored) ? undefined : (stored ?? field.default)
  if (field.multiple) return Array.isArray(value) ? value : value === undefined ? [] : [String(value)]
  if (field.type === 'boolean') return value === true || value === 'true'
  return value === undefined ? '' : String(value)
}

export function isSecretState(stored: StoredValue): stored is { configured: boolean; updated_at: string | null } {
  return typeof stored === 'object' && !Array.isArray(stored)
}

/**
 * The drafts with this one, or without it when it equals the stored value. A secret's draft stays: its stored value is
 * unknown.
 */
export function withDraft(
  drafts: Drafts,
  field: SettingField,
  stored: StoredValue,
  draft: SettingDraft | null,
): Drafts {
  const next = new Map(drafts)
  const same = !field.sensitive && JSON.stringify(draft) === JSON.stringify(shownValue(field, stored))
  if (draft === null || same) next.delete(field.key)
  else next.set(field.key, draft)
  return next
}

/** What is wrong with a draft, as far as the browser can tell; the server checks patterns and paths. */
export type SettingFault = 'required' | 'not_a_number' | 'too_small' | 'too_large'

export function draftFault(field: SettingField, draft: SettingDraft): SettingFault | null {
  if (isEmpty(draft)) return field.required && field.default === undefined ? 'required' : null
  if (field.type !== 'number' || typeof draft !== 'string') return null
  const number = numberOf(draft)
  if (number === null) return 'not_a_number'
  if (field.min !== undefined && number < field.min) return 'too_small'
  return field.max !== undefined && number > field.max ? 'too_large' : null
}

/** The request that saves the drafts; emptied fields are cleared. */
export function settingsRequest(
  fields: readonly SettingField[],
  drafts: Drafts,
): { values: Record<string, SettingValue>; clear_fields: string[] } {
  const values: Record<string, SettingValue> = {}
  const clear: string[] = []
  for (const field of fields) {
    const draft = drafts.get(field.key)
    if (draft === undefined) continue
    if (isEmpty(draft)) clear.push(field.key)
    else if (typeof draft === 'boolean') values[field.key] = draft
    else if (typeof draft !== 'string') values[field.key] = draft.filter((line) => line !== '')
    else values[field.key] = field.type === 'number' ? (numberOf(draft) ?? draft) : draft
  }
  return { values, clear_fields: clear }
}

function isEmpty(draft: SettingDraft): boolean {
  return typeof draft === 'boolean'
    ? false
    : typeof draft === 'string'
      ? draft === ''
      : draft.every((one) => one === '')
}

/** A decimal number, with a point or comma; null for anything else. */
function numberOf(text: string): number | null {
  const plain = text.trim().replace(/^([+-]?\d+),(\d+)$/, '$1.$2')
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return null
  const number = Number(plain)
  return Number.isFinite(number) ? number : null
}
