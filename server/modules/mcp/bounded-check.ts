import { compileSchema } from './json-schema.ts'
import { TimeLimitError, withTimeLimit } from './time-limit.ts'

/**
 * A check against a schema written by an outsider: compiled on first use and limited in time; a value that takes too
 * long fails it. Never throws; returns null or a sentence, in which `what` ("input schema") names the schema. Blocks
 * the process for at most `milliseconds`.
 */
export function boundedCheck(
  schema: object,
  what: string,
  milliseconds: number,
  options: { readonly useDefaults?: boolean } = {},
): (value: unknown) => string | null {
  let check: ((value: unknown) => string | null) | undefined
  let broken: string | null = null
  return (value) => {
    if (broken !== null) return broken
    try {
      return withTimeLimit(milliseconds, () => {
        const compiled = check ?? compileSchema(schema, options)
        // Kept only once it is complete.
        check = compiled
        return compiled(value)
      })
    } catch (error) {
      // It may be a check that was only half compiled.
      check = undefined
      const why = error instanceof Error ? error.message.slice(0, 200) : String(error)
      const sentence = `The tool's ${what} cannot be used: ${why}.`
      if (error instanceof TimeLimitError) return sentence
      return (broken = sentence)
    }
  }
}
