import { formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { type OpenApiDocument, resolveSchema, type Schema } from './openapi-document.ts'

const MOST_VALUES = 12

/** A value's type and limits in one line: `integer 1–200, default 50`, `"allow" | "ask" | "deny"`, `list of string`. */
export function schemaLabel(document: OpenApiDocument, given: Schema): string {
  const schema = resolveSchema(document, given)
  return [kindOf(document, schema), limitsOf(schema), defaultOf(schema)].filter((part) => part !== '').join(', ')
}

function kindOf(document: OpenApiDocument, schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) {
    const values = schema.enum.slice(0, MOST_VALUES).map((value) => JSON.stringify(value))
    return values.join(' | ') + (schema.enum.length > MOST_VALUES ? ' | …' : '')
  }
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return choices.map((each) => schemaLabel(document, each)).join(' | ')
  if (schema.items !== undefined) return t('api.list_of', { what: schemaLabel(document, schema.items) })
  const type = typeof schema.type === 'string' ? schema.type : (schema.type?.join(' | ') ?? t('api.anything'))
  return schema.format === undefined ? type : `${type} (${schema.format})`
}

function limitsOf({ type, minimum, maximum, minLength, maxLength, minItems, maxItems }: Schema): string {
  // Every integer has these two bounds; they carry no information.
  const low = minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum
  const high = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  if (type === 'string') return range(minLength, maxLength, (span) => t('api.characters', { span }))
  if (type === 'array') return range(minItems, maxItems, (span) => t('api.items', { span }))
  return range(low, high, (span) => span)
}

function range(low: number | undefined, high: number | undefined, word: (span: string) => string): string {
  if (low === undefined && high === undefined) return ''
  if (high === undefined) return word(`≥ ${formatNumber(low ?? 0)}`)
  if (low === undefined) return word(`≤ ${formatNumber(high)}`)
  return word(low === high ? formatNumber(low) : `${formatNumber(low)}–${formatNumber(high)}`)
}

function defaultOf(schema: Schema): string {
  return schema.default === undefined ? '' : t('api.default', { value: JSON.stringify(schema.default) })
}
