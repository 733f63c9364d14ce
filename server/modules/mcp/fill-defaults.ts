import { boundedCheck } from './bounded-check.ts'

type Arguments = Record<string, unknown>

/** Characters that defaults may add; a schema that would add more to so many objects fills in nothing. */
const ADDED = 1024 * 1024

/**
 * Makes of what was given the arguments that are sent: with the defaults of the tool's schema, if they fit with them, and
 * as JSON has them, so that -0, infinite numbers and the like cannot mean one thing to the check and another to the tool.
 */
export function fillDefaults(schema: object, milliseconds: number): (input: Arguments) => Arguments {
  const length = defaultsLength(schema)
  // Most checks would do nothing else.
  if (length === 0) return asJson
  const fill = boundedCheck(schema, 'input schema', milliseconds, { useDefaults: true })
  return (input) => {
    const filled = asJson(input)
    if (length * objectsIn(filled) > ADDED) return filled
    return fill(filled) === null ? asJson(filled) : asJson(input)
  }
}

function asJson(value: Arguments): Arguments {
  return JSON.parse(JSON.stringify(value)) as Arguments
}

/** Characters of all defaults in a schema. */
function defaultsLength(schema: unknown): number {
  if (schema === null || typeof schema !== 'object') return 0
  return Object.entries(schema).reduce(
    (sum, [key, value]) => sum + (key === 'default' ? (JSON.stringify(value)?.length ?? 0) : defaultsLength(value)),
    0,
  )
}

function objectsIn(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0
  return Object.values(value).reduce((sum: number, member) => sum + objectsIn(member), 1)
}
