import type { ArgumentField } from './argument-fields.ts'

/** What each field of a form holds, as text; a field without a value is left out. */
export type FieldValues = Readonly<Record<string, string>>

/** The value that the text of a field stands for; undefined while it stands for none. */
export function valueOf({ kind, numbers, values }: ArgumentField, text: string): unknown {
  if (text.trim() === '') return undefined
  switch (kind) {
    case 'integer':
    case 'number':
      return finite(text)
    case 'boolean':
      return /^(true|yes|on)$/i.test(text) ? true : /^(false|no|off)$/i.test(text) ? false : undefined
    case 'choice':
      return values.find((value) => String(value).toLowerCase() === text.toLowerCase())
    case 'list': {
      const items = text.split('\n').filter((line) => line !== '')
      const list = numbers ? items.map(finite) : items
      return list.includes(undefined as never) ? undefined : list
    }
    case 'json':
      return parsed(text)
    default:
      return text
  }
}

/** The text of a field for a value; null where the field cannot hold it exactly as it is. */
export function textOf(field: ArgumentField, value: unknown): string | null {
  const text = field.kind === 'json' ? jsonOf(value) : plainText(field, value)
  // Whatever would come back as something else is no text of this field.
  return JSON.stringify(valueOf(field, text)) === JSON.stringify(value) ? text : null
}

/** A value as it is edited where no field fits it. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

function plainText({ kind }: ArgumentField, value: unknown): string {
  if (kind === 'list' && Array.isArray(value)) return value.map(String).join('\n')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function finite(text: string): number | undefined {
  const value = Number(text)
  return text.trim() === '' || !Number.isFinite(value) ? undefined : value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
