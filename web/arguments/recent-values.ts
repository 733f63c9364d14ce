import type { ArgumentField } from './argument-fields.ts'
import type { FieldValues } from './argument-values.ts'

const KEY = 'reeve.recent_arguments'
/** Values remembered of one argument, and arguments with any. */
const VALUES = 5
const ARGUMENTS = 100
/** Longer ones are rarely wanted again, and fill the storage. */
const LONGEST = 200

/** Values that this browser has sent for an argument of a tool, newest first. */
export function recentValues(tool: string, { name }: ArgumentField): readonly string[] {
  return read()[`${tool} ${name}`] ?? []
}

/** Remembers what is sent; never a secret. */
export function rememberValues(tool: string, fields: readonly ArgumentField[], values: FieldValues): void {
  const known = read()
  for (const { name, kind } of fields) {
    const value = values[name] ?? ''
    if (value === '' || value.length > LONGEST || (kind !== 'text' && kind !== 'integer' && kind !== 'number')) continue
    const key = `${tool} ${name}`
    const others = (known[key] ?? []).filter((other) => other !== value)
    // The newest argument comes last, and the oldest goes first.
    delete known[key]
    known[key] = [value, ...others].slice(0, VALUES)
  }
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(Object.entries(known).slice(-ARGUMENTS))))
  } catch {
    // Storage is full or blocked: nothing is suggested.
  }
}

function read(): Record<string, readonly string[]> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}')
    if (typeof stored !== 'object' || stored === null) return {}
    const lists = Object.entries(stored).filter((entry): entry is [string, string[]] => isTexts(entry[1]))
    return Object.fromEntries(lists)
  } catch {
    return {}
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
