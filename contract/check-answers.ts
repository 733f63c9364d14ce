import type { QuestionField, QuestionSchema } from './questions.ts'

/** What is wrong with one value; `limit` belongs to the codes that mention one. */
export interface AnswerProblem {
  readonly path: string
  readonly code:
    | 'required'
    | 'unknown'
    | 'text'
    | 'too_short'
    | 'too_long'
    | 'email'
    | 'uri'
    | 'date'
    | 'date_time'
    | 'number'
    | 'integer'
    | 'too_small'
    | 'too_large'
    | 'boolean'
    | 'choice'
    | 'choices'
    | 'too_few'
    | 'too_many'
  readonly limit?: number
}

/** Checks whether the values answer the question, in the page and on the server alike. Empty when they do. */
export function checkAnswers(schema: QuestionSchema, content: Readonly<Record<string, unknown>>): AnswerProblem[] {
  const problems: AnswerProblem[] = Object.keys(content)
    .filter((key) => !Object.hasOwn(schema.properties, key))
    .map((path) => ({ path, code: 'unknown' }))
  for (const [path, field] of Object.entries(schema.properties)) {
    const value = Object.hasOwn(content, path) ? content[path] : undefined
    if (value !== undefined) {
      const wrong = checkValue(field, value)
      if (wrong) problems.push({ path, ...wrong })
    } else if (schema.required.includes(path)) problems.push({ path, code: 'required' })
  }
  return problems
}

type Wrong = Omit<AnswerProblem, 'path'> | null

/** What is wrong with a given value; null when it is valid. */
export function checkValue(field: QuestionField, value: unknown): Wrong {
  switch (field.type) {
    case 'string':
      if (typeof value !== 'string') return { code: 'oneOf' in field ? 'choice' : 'text' }
      if ('oneOf' in field) return field.oneOf.some((option) => option.const === value) ? null : { code: 'choice' }
      return checkText(field, value)
    case 'number':
    case 'integer':
      if (typeof value !== 'number' || !Number.isFinite(value)) return { code: 'number' }
      if (field.type === 'integer' && !Number.isSafeInteger(value)) return { code: 'integer' }
      if (field.minimum !== undefined && value < field.minimum) return { code: 'too_small', limit: field.minimum }
      if (field.maximum !== undefined && value > field.maximum) return { code: 'too_large', limit: field.maximum }
      return null
    case 'boolean':
      return typeof value === 'boolean' ? null : { code: 'boolean' }
    case 'array': {
      const known = new Set<unknown>(field.items.anyOf.map((option) => option.const))
      if (!Array.isArray(value) || !value.every((item) => known.has(item)) || new Set(value).size < value.length)
        return { code: 'choices' }
      if (field.minItems !== undefined && value.length < field.minItems)
        return { code: 'too_few', limit: field.minItems }
      if (field.maxItems !== undefined && value.length > field.maxItems)
        return { code: 'too_many', limit: field.maxItems }
      return null
    }
  }
}

function checkText(field: Extract<QuestionField, { maxLength: number }>, value: string): Wrong {
  // JSON Schema counts characters, not UTF-16 units.
  const { length } = [...value]
  if (field.minLength !== undefined && length < field.minLength) return { code: 'too_short', limit: field.minLength }
  if (length > field.maxLength) return { code: 'too_long', limit: field.maxLength }
  switch (field.format) {
    case 'email':
      return /^[^\s@]+@[^\s@]+$/.test(value) ? null : { code: 'email' }
    case 'uri':
      return /^[a-z][a-z0-9+.-]*:/i.test(value) && URL.canParse(value) ? null : { code: 'uri' }
    case 'date':
      return isDay(value) ? null : { code: 'date' }
    case 'date-time':
      return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(value) &&
        isDay(value.slice(0, 10)) &&
        !Number.isNaN(Date.parse(value))
        ? null
        : { code: 'date_time' }
    default:
      return null
  }
}

function isDay(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const day = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value)
}
