import { toldSchema } from './told-schema.ts'

/**
 * Tokens without the tokenizer of whoever reads them, rather too many than too few (decision 49): prose has about four
 * bytes a token in Latin script and three where a letter takes three, JSON about three and a half with all its marks.
 */
const PROSE_BYTES = 3.5
const JSON_BYTES = 3

export function textTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / PROSE_BYTES)
}

/** What describes a tool to a model. */
interface Definition {
  readonly name: string
  readonly description: string
  readonly input_schema: Record<string, unknown>
}

/** Keyed by schema object: a tool keeps it while its module runs, and every step counts every tool. */
const counted = new WeakMap<object, number>()

export function definitionTokens({ name, description, input_schema }: Definition): number {
  let tokens = counted.get(input_schema)
  if (tokens === undefined) {
    const bytes = Buffer.byteLength(JSON.stringify({ name, description, input_schema: toldSchema(input_schema) }))
    tokens = Math.ceil(bytes / JSON_BYTES)
    counted.set(input_schema, tokens)
  }
  return tokens
}
