import { createContext, Script } from 'node:vm'
import { isAbsolute } from 'node:path'
import type { SettingField, SettingValue } from '../../../../contract/modules.ts'
import { say, type Sentence } from '../../../kernel/sentence.ts'
import { cut } from '../../../kernel/text/plain-text.ts'

const TEXT_LIMIT = 10_000
const LIST_LIMIT = 100
const PATH_LIMIT = 4096

/** What is wrong with one value: `path` is the key of the setting. */
export interface SettingProblem {
  readonly path: string
  readonly message: Sentence
}

/**
 * What is wrong with these values; empty when all may be stored. Missing values, empty texts and empty lists pass here:
 * they are up to `missingSettings`.
 */
export function checkSettings(
  fields: readonly SettingField[],
  values: Readonly<Record<string, SettingValue>>,
): SettingProblem[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const field = fields.find((each) => each.key === key)
    const message = field === undefined ? say`There is no such setting.` : valueProblem(field, value)
    return message === null ? [] : [{ path: key, message }]
  })
}

function valueProblem(field: SettingField, value: SettingValue): Sentence | null {
  switch (field.type) {
    case 'boolean':
      return typeof value === 'boolean' ? null : say`Must be true or false.`
    case 'number':
      if (typeof value !== 'number' || !Number.isFinite(value)) return say`Must be a number.`
      if (field.min !== undefined && value < field.min) return say`Must be ${field.min} or more.`
      return field.max !== undefined && value > field.max ? say`Must be ${field.max} or less.` : null
    default: {
      if (field.multiple) {
        if (!Array.isArray(value)) return say`Must be a list of texts.`
        if (value.length > LIST_LIMIT) return say`Has more than ${LIST_LIMIT} entries.`
        if (value.includes('')) return say`Has an empty entry.`
      } else if (typeof value !== 'string') return say`Must be a text.`
      // One at a time, so that a slow pattern fails once and not for every entry.
      for (const text of [value].flat()) {
        const problem = text === '' ? null : textProblem(field, String(text))
        if (problem !== null) return problem
      }
      return null
    }
  }
}

function textProblem(field: SettingField, text: string): Sentence | null {
  if (text.length > TEXT_LIMIT) return say`Has more than ${TEXT_LIMIT} characters.`
  if (text.includes('\0') || !text.isWellFormed()) return say`Contains characters that cannot be passed to a program.`
  const controls = field.multiline ? /[^\P{Cc}\n\r\t]/u : /\p{Cc}/u
  if (controls.test(text))
    return field.multiline ? say`Contains control characters.` : say`Contains control characters or line breaks.`
  if (field.type !== 'string') {
    if (text.length > PATH_LIMIT) return say`Has more than ${PATH_LIMIT} characters.`
    if (!isAbsolute(text)) return say`Must be an absolute path.`
    if (text.split(/[\\/]/).includes('..')) return say`Must not contain “..”.`
  }
  if (field.enum !== undefined && !field.enum.some((option) => option.value === text))
    return say`Must be one of: ${cut(field.enum.map((option) => option.label).join(', '), 500)}.`
  if (field.pattern !== undefined && !matchesPattern(field.pattern, text))
    return say`Does not match the required form (${field.pattern}).`
  return null
}

const TIME_LIMIT_MS = 100
const SCRIPT = new Script('new RegExp(`^(?:${pattern})$`, "u").test(value)')

/** Whether the whole value matches. A slow pattern cannot hold up this process: after 100 ms the answer is no. */
export function matchesPattern(pattern: string, value: string): boolean {
  try {
    const context = createContext({ pattern, value }, { codeGeneration: { strings: false, wasm: false } })
    return SCRIPT.runInContext(context, { timeout: TIME_LIMIT_MS }) === true
  } catch {
    return false
  }
}
