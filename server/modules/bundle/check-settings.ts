import { isAbsolute } from 'node:path'
import type { SettingField, SettingValue } from '../../../contract/modules.ts'
import { matchesPattern } from './matches-pattern.ts'

const TEXT_LIMIT = 10_000
const LIST_LIMIT = 100
const PATH_LIMIT = 4096

/** What is wrong with one value: `path` is the key of the setting. */
export interface SettingProblem {
  readonly path: string
  readonly message: string
}

/**
 * What is wrong with these values; empty when all may be stored. A value that is missing, an empty text and an empty list are no
 * problem here (`missingSettings`).
 */
export function checkSettings(
  fields: readonly SettingField[],
  values: Readonly<Record<string, SettingValue>>,
): SettingProblem[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const field = fields.find((each) => each.key === key)
    const message = field === undefined ? 'There is no such setting.' : valueProblem(field, value)
    return message === null ? [] : [{ path: key, message }]
  })
}

function valueProblem(field: SettingField, value: SettingValue): string | null {
  switch (field.type) {
    case 'boolean':
      return typeof value === 'boolean' ? null : 'Has to be true or false.'
    case 'number':
      if (typeof value !== 'number' || !Number.isFinite(value)) return 'Has to be a number.'
      if (field.min !== undefined && value < field.min) return `Has to be ${field.min} or more.`
      return field.max !== undefined && value > field.max ? `Has to be ${field.max} or less.` : null
    default: {
      if (field.multiple) {
        if (!Array.isArray(value)) return 'Has to be a list of texts.'
        if (value.length > LIST_LIMIT) return `Has more than ${LIST_LIMIT} entries.`
        if (value.includes('')) return 'Has an empty entry.'
      } else if (typeof value !== 'string') return 'Has to be a text.'
      // One after the other: a slow pattern fails once, not for every entry.
      for (const text of [value].flat()) {
        const problem = text === '' ? null : textProblem(field, String(text))
        if (problem !== null) return problem
      }
      return null
    }
  }
}

function textProblem(field: SettingField, text: string): string | null {
  if (text.length > TEXT_LIMIT) return `Has more than ${TEXT_LIMIT} characters.`
  if (text.includes('\0') || !text.isWellFormed()) return 'Has characters that no program can be given.'
  const controls = field.multiline ? /[^\P{Cc}\n\r\t]/u : /\p{Cc}/u
  if (controls.test(text)) return field.multiline ? 'Has control characters.' : 'Has control characters or line breaks.'
  if (field.type !== 'string') {
    if (text.length > PATH_LIMIT) return `Has more than ${PATH_LIMIT} characters.`
    if (!isAbsolute(text)) return 'Has to be an absolute path.'
    if (text.split(/[\\/]/).includes('..')) return 'Must not contain “..”.'
  }
  if (field.enum !== undefined && !field.enum.some((option) => option.value === text))
    return `Has to be one of: ${field.enum.map((option) => option.label).join(', ')}.`.slice(0, 500)
  if (field.pattern !== undefined && !matchesPattern(field.pattern, text))
    return `Does not have the form that is asked for (${field.pattern}).`
  return null
}
