import { type ArgumentToken, argumentTokens } from '../../../../contract/argument-tokens.ts'
import type { ArgumentField } from '../../../arguments/argument-fields.ts'
import type { FieldValues } from '../../../arguments/argument-values.ts'

/**
 * The values that a typed command gives to the fields. Null when the form cannot show all that was typed: then the
 * text alone is right.
 */
export function readCommand(text: string, fields: readonly ArgumentField[]): FieldValues | null {
  const typed = /^\/[\w.-]+\s*([^]*)$/.exec(text)?.[1]?.trimEnd()
  if (typed === undefined) return null
  return typed.startsWith('{') ? fromJson(typed, fields) : fromTokens(typed, fields)
}

/** The command for these values, as it can be typed. */
export function writeCommand(name: string, fields: readonly ArgumentField[], values: FieldValues): string {
  const written = fields.flatMap((field) => {
    const value = values[field.name] ?? ''
    return value === '' ? [] : [`${field.name}=${wordOf(field.kind === 'list' ? listOf(value, field) : value)}`]
  })
  return [`/${name}`, ...written].join(' ') + (written.length === 0 ? ' ' : '')
}

/** The values as they are sent: without the empty lines that are there while a list is typed. */
export function withoutEmptyLines(fields: readonly ArgumentField[], values: FieldValues): FieldValues {
  const lists = fields.filter(({ kind, name }) => kind === 'list' && values[name] !== undefined)
  const filled = (lines: string) => lines.split('\n').filter((line) => line !== '')
  return { ...values, ...Object.fromEntries(lists.map(({ name }) => [name, filled(values[name]!).join('\n')])) }
}

function fromTokens(typed: string, fields: readonly ArgumentField[]): FieldValues | null {
  const tokens = argumentTokens(typed)
  if ('open' in tokens) return null
  const named = withKey(tokens.list, typed, fields)
  if (named === null) return null
  const values: Record<string, string> = {}
  for (const { key, text } of named) {
    const field = fields.find(({ name }) => name === key)
    if (field === undefined || text === '') return null
    const value = field.kind === 'list' ? linesOf(text) : text
    const before = values[field.name]
    if (value === null || (before !== undefined && field.kind !== 'list')) return null
    values[field.name] = before === undefined ? value : `${before}\n${value}`
  }
  return values
}

/** Like the server: a value without a name is that of the only argument, or of the only required one. */
function withKey(
  tokens: readonly ArgumentToken[],
  typed: string,
  fields: readonly ArgumentField[],
): readonly Pick<ArgumentToken, 'key' | 'text'>[] | null {
  if (tokens.every(({ key }) => key !== null)) return tokens
  const required = fields.filter((field) => field.required)
  const [only, ...others] = required.length > 0 ? required : fields
  if (only === undefined || others.length > 0 || tokens.some(({ key }) => key !== null)) return null
  return [{ key: only.name, text: tokens.length === 1 ? tokens[0]!.text : typed }]
}

function fromJson(typed: string, fields: readonly ArgumentField[]): FieldValues | null {
  const given = parsed(typed)
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return null
  const values: Record<string, string> = {}
  for (const [key, value] of Object.entries(given)) {
    const field = fields.find(({ name }) => name === key)
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    const shown = field?.kind === 'list' ? linesOf(text) : text
    if (field === undefined || shown === null || shown === '') return null
    values[key] = shown
  }
  return values
}

/** The items of a list, one a line; null when an item has lines of its own. */
function linesOf(text: string): string | null {
  const items = text.startsWith('[') ? parsed(text) : [text]
  if (!Array.isArray(items)) return null
  const lines = items.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)))
  return lines.some((line) => line.includes('\n')) ? null : lines.join('\n')
}

function listOf(lines: string, { numbers }: ArgumentField): string {
  const items = lines.split('\n')
  return JSON.stringify(
    numbers && items.every((item) => item !== '' && Number.isFinite(Number(item))) ? items.map(Number) : items,
  )
}

/** The value as it stands after `key=`: as it is where it is read as one word, otherwise in quotes. */
function wordOf(value: string): string {
  const read = argumentTokens(`a=${value}`)
  const alone = 'list' in read && read.list.length === 1 ? read.list[0]! : null
  if (alone !== null && !alone.quoted && alone.text === value) return value
  return `"${value.replace(/["\\]/g, (character) => `\\${character}`)}"`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
