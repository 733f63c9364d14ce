import { compileSchema } from './json-schema.ts'
import { TimeLimitError, withTimeLimit } from './time-limit.ts'

/**
 * A check by a schema that an outsider wrote: compiled at the first use, bounded in time, what costs too much counts as not fitting.
 * Never throws; returns null or a sentence. Nothing else runs meanwhile, for `milliseconds` at most. `what` names the schema in it: "input schema".
 */
export function boundedCheck(schema: object, what: string, milliseconds: number): (value: unknown) => string | null {
  let check: ((value: unknown) => string | null) | undefined
  let broken: string | null = null
  return (value) => {
    if (broken !== null) return broken
    try {
      return withTimeLimit(milliseconds, () => {
        const compiled = check ?? compileSchema(schema)
        // Kept only when it is whole.
        check = compiled
        return compiled(value)
      })
    } catch (error) {
      // Half a check may be left behind in it.
      check = undefined
      const why = error instanceof Error ? error.message.slice(0, 200) : String(error)
      const sentence = `The tool's ${what} cannot be used: ${why}.`
      if (error instanceof TimeLimitError) return sentence
      return (broken = sentence)
    }
  }
}
