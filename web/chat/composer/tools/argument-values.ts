import type { ArgumentField } from './argument-fields.ts'
import { type FieldValues, readCommand } from './command-values.ts'

/** The fields' values for given arguments; null when the form cannot show all of them. */
export function valuesOf(
  fields: readonly ArgumentField[],
  args: Readonly<Record<string, unknown>>,
): FieldValues | null {
  return Object.keys(args).length === 0 ? {} : readCommand(`/tool ${JSON.stringify(args)}`, fields)
}

/** The arguments that the fields' values make, as they are sent; null while a value is wrong. */
export function argumentsFrom(fields: readonly ArgumentField[], values: FieldValues): Record<string, unknown> | null {
  const entries = fields.flatMap((field) => {
    const text = values[field.name] ?? ''
    return text.trim() === '' ? [] : [[field.name, valueOf(field, text)] as const]
  })
  return entries.some(([, value]) => value === undefined) ? null : Object.fromEntries(entries)
}

function valueOf({ kind, numbers }: ArgumentField, text: string): unknown {
  if (kind === 'integer' || kind === 'number') return finite(text)
  if (kind === 'boolean')
    return /^(true|yes|on)$/i.test(text) ? true : /^(false|no|off)$/i.test(text) ? false : undefined
  if (kind === 'list') {
    const items = text.split('\n').filter((line) => line !== '')
    const list = numbers ? items.map(finite) : items
    return list.includes(undefined as never) ? undefined : list
  }
  return kind === 'json' ? parsed(text) : text
}

function finite(text: string): number | undefined {
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
