import { z } from 'zod'

const about = { title: z.string(), description: z.string() }
const Option = z.strictObject({ const: z.string(), title: z.string() })

/** One requested value: a text, one of several options, a number, yes or no, or some of several options. */
export const QuestionField = z.union([
  z.strictObject({
    ...about,
    type: z.literal('string'),
    minLength: z.int().optional(),
    maxLength: z.int(),
    format: z.enum(['email', 'uri', 'date', 'date-time']).optional(),
    default: z.string().optional(),
  }),
  z.strictObject({ ...about, type: z.literal('string'), oneOf: z.array(Option), default: z.string().optional() }),
  z.strictObject({
    ...about,
    type: z.enum(['number', 'integer']),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    default: z.number().optional(),
  }),
  z.strictObject({ ...about, type: z.literal('boolean'), default: z.boolean().optional() }),
  z.strictObject({
    ...about,
    type: z.literal('array'),
    items: z.strictObject({ anyOf: z.array(Option) }),
    minItems: z.int().optional(),
    maxItems: z.int().optional(),
    default: z.array(z.string()).optional(),
  }),
])
export type QuestionField = z.infer<typeof QuestionField>

/** The form of a question: the flat JSON Schema of MCP's elicitation in a normalised form. */
export const QuestionSchema = z.strictObject({
  type: z.literal('object'),
  properties: z.record(z.string(), QuestionField),
  required: z.array(z.string()),
})
export type QuestionSchema = z.infer<typeof QuestionSchema>

/** What a module asks during a call: to fill in a form, or to open an address. One of the two is null. */
export const Question = z.strictObject({
  /** The module's text: plain, with invisible characters escaped. */
  message: z.string(),
  schema: QuestionSchema.nullable(),
  /** http(s), with its host in ASCII. Its content has not been checked. */
  url: z.string().nullable(),
})
export type Question = z.infer<typeof Question>

export const AnswerContent = z.record(
  z.string().max(100),
  z.union([z.string().max(10_000), z.number(), z.boolean(), z.array(z.string().max(1000)).max(200)]),
)
export type AnswerContent = z.infer<typeof AnswerContent>
