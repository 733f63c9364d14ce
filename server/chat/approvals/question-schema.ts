import { z } from 'zod'
import type { QuestionField, QuestionSchema } from '../../../contract/questions.ts'
import { checkValue } from '../../../contract/check-answers.ts'
import { cut, visible } from '../../kernel/text/plain-text.ts'

const FIELDS = 30
const OPTIONS = 200
const TEXT_LENGTH = 10_000

/** A value that is returned verbatim must be exactly what the person sees. */
const Plain = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => visible(text) === text && text.isWellFormed())
const label = (max: number) => z.string().transform((text) => visible(cut(text.toWellFormed(), max)))
const Label = z.object({ title: label(200).optional(), description: label(1000).optional() })
const Titled = z.object({ const: Plain(500), title: label(500).optional() })
const Options = z.array(Titled).min(1).max(OPTIONS)
const Plains = z.array(Plain(500)).min(1).max(OPTIONS)
const Count = z.int().min(0).optional()

const Choice = Label.extend({
  type: z.literal('string'),
  oneOf: Options.optional(),
  enum: Plains.optional(),
  enumNames: z.array(label(500)).optional(),
  default: z.unknown().optional(),
})
const Text = Label.extend({
  type: z.literal('string'),
  minLength: Count,
  maxLength: Count,
  // An unusable choice must not degrade into a free-text field.
  oneOf: z.never().optional(),
  enum: z.never().optional(),
  format: z.unknown().optional(),
  default: z.unknown().optional(),
})
const Quantity = Label.extend({
  type: z.enum(['number', 'integer']),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  default: z.unknown().optional(),
})
const YesNo = Label.extend({ type: z.literal('boolean'), default: z.unknown().optional() })
const Several = Label.extend({
  type: z.literal('array'),
  items: z
    .object({ anyOf: Options.optional(), oneOf: Options.optional(), enum: Plains.optional() })
    .refine(({ anyOf, oneOf, enum: plain }) => (anyOf ?? oneOf ?? plain) !== undefined),
  minItems: Count,
  maxItems: Count,
  default: z.unknown().optional(),
})
const Field = z.union([
  Choice.refine((field) => (field.oneOf ?? field.enum) !== undefined),
  Text,
  Quantity,
  YesNo,
  Several,
])
const Schema = z.object({
  type: z.literal('object'),
  properties: z.record(Plain(100), z.unknown()),
  required: z.array(z.string()).default([]),
})

/**
 * A module's form in one normalized shape: bounded, and with nothing hidden in it. Unknown keywords are dropped, and so
 * is a default that does not fit. Null unless it is a flat form of texts, numbers, booleans and choices.
 */
export function readQuestionSchema(given: unknown): QuestionSchema | null {
  const parsed = Schema.safeParse(given)
  if (!parsed.success) return null
  const entries = Object.entries(parsed.data.properties)
  // z.record silently drops `__proto__`.
  if (entries.length > FIELDS || entries.length < Object.keys((given as { properties: object }).properties).length)
    return null
  const properties: QuestionSchema['properties'] = {}
  for (const [name, value] of entries) {
    const field = Field.safeParse(value)
    if (!field.success || name === '') return null
    properties[name] = toField(name, field.data)
  }
  const required = [...new Set(parsed.data.required)]
  // A form that requires an unknown field could never be answered.
  if (!required.every((name) => Object.hasOwn(properties, name))) return null
  return { type: 'object', properties, required }
}

function toField(name: string, given: z.output<typeof Field>): QuestionField {
  const about = { title: given.title || name, description: given.description ?? '' }
  const field = withoutDefault(about, given)
  const fits = given.default !== undefined && checkValue(field, given.default) === null
  return fits ? ({ ...field, default: given.default } as QuestionField) : field
}

function withoutDefault(about: { title: string; description: string }, given: z.output<typeof Field>): QuestionField {
  switch (given.type) {
    case 'string': {
      if (given.oneOf !== undefined || given.enum !== undefined) {
        const { enumNames } = given
        return { ...about, type: 'string', oneOf: options(given.oneOf, given.enum, enumNames) }
      }
      const { minLength, maxLength, format } = given as z.output<typeof Text>
      const known = (['email', 'uri', 'date', 'date-time'] as const).find((one) => one === format)
      return {
        ...about,
        type: 'string',
        ...(minLength === undefined ? {} : { minLength }),
        maxLength: Math.min(maxLength ?? TEXT_LENGTH, TEXT_LENGTH),
        ...(known === undefined ? {} : { format: known }),
      }
    }
    case 'number':
    case 'integer': {
      const { type, minimum, maximum } = given
      return {
        ...about,
        type,
        ...(minimum === undefined ? {} : { minimum }),
        ...(maximum === undefined ? {} : { maximum }),
      }
    }
    case 'boolean':
      return { ...about, type: 'boolean' }
    case 'array': {
      const { items, minItems, maxItems } = given
      return {
        ...about,
        type: 'array',
        items: { anyOf: options(items.anyOf ?? items.oneOf, items.enum) },
        ...(minItems === undefined ? {} : { minItems }),
        ...(maxItems === undefined ? {} : { maxItems }),
      }
    }
  }
}

function options(
  titled: z.output<typeof Options> | undefined,
  plain: readonly string[] | undefined,
  names: readonly string[] = [],
): { const: string; title: string }[] {
  const all = titled ?? (plain ?? []).map((value, i) => ({ const: value, title: names[i] }))
  return all.map(({ const: value, title }) => ({ const: value, title: title || value }))
}
