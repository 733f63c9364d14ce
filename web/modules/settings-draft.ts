import type { ModuleSettings, SettingField, SettingValue } from '../../contract/modules.ts'

export type StoredValue = ModuleSettings['values'][string] | undefined
/** What stands in a control: text for texts, numbers, choices and paths. */
export type Draft = string | boolean | readonly string[]
/** What has been changed and not saved, by key; a field that is back at what is stored is not in it. */
export type Drafts = ReadonlyMap<string, Draft>

/** What the control of a field shows before anything is changed: the value, else the default, else nothing. */
export function shownValue(field: SettingField, stored: StoredValue): Draft {
  const value = field.sensitive || isSecretState(stored) ? undefined : (stored ?? field.default)
  if (field.multiple) return Array.isArray(value) ? value : value === undefined ? [] : [String(value)]
  if (field.type === 'boolean') return value === true || value === 'true'
  return value === undefined ? '' : String(value)
}

export function isSecretState(stored: StoredValue): stored is { configured: boolean; updated_at: string | null } {
  return typeof stored === 'object' && !Array.isArray(stored)
}

/** The drafts with this one; without it when it is what is stored. A secret's draft stays: nobody knows what is stored. */
export function withDraft(drafts: Drafts, field: SettingField, stored: StoredValue, draft: Draft | null): Drafts {
  const next = new Map(drafts)
  const same = !field.sensitive && JSON.stringify(draft) === JSON.stringify(shownValue(field, stored))
  if (draft === null || same) next.delete(field.key)
  else next.set(field.key, draft)
  return next
}

/** What is wrong with a draft, as far as it can be told here; patterns and paths are judged by the server. */
export type DraftFault = 'required' | 'not_a_number' | 'too_small' | 'too_large'

export function draftFault(field: SettingField, draft: Draft): DraftFault | null {
  if (isEmpty(draft)) return field.required && field.default === undefined ? 'required' : null
  if (field.type !== 'number' || typeof draft !== 'string') return null
  const number = numberOf(draft)
  if (number === null) return 'not_a_number'
  if (field.min !== undefined && number < field.min) return 'too_small'
  return field.max !== undefined && number > field.max ? 'too_large' : null
}

/** The request that saves the drafts: what was emptied is cleared. */
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

function isEmpty(draft: Draft): boolean {
  return typeof draft === 'boolean'
    ? false
    : typeof draft === 'string'
      ? draft === ''
      : draft.every((one) => one === '')
}

/** A decimal number, also with a comma; null for anything else. */
function numberOf(text: string): number | null {
  const plain = text.trim().replace(/^([+-]?\d+),(\d+)$/, '$1.$2')
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return null
  const number = Number(plain)
  return Number.isFinite(number) ? number : null
}
