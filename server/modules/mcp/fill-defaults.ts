import { boundedCheck } from './bounded-check.ts'

type Arguments = Record<string, unknown>

/**
 * Makes of what was given the arguments that are sent: with the defaults of the tool's schema, if they fit with them, and
 * as JSON has them, so that -0, infinite numbers and the like cannot mean one thing to the check and another to the tool.
 */
export function fillDefaults(schema: object, milliseconds: number): (input: Arguments) => Arguments {
  // Most checks would do nothing else.
  if (!hasDefaults(schema)) return asJson
  const fill = boundedCheck(schema, 'input schema', milliseconds, { useDefaults: true })
  return (input) => {
    const filled = asJson(input)
    return fill(filled) === null ? asJson(filled) : asJson(input)
  }
}

function asJson(value: Arguments): Arguments {
  return JSON.parse(JSON.stringify(value)) as Arguments
}

function hasDefaults(schema: unknown): boolean {
  if (schema === null || typeof schema !== 'object') return false
  return Object.entries(schema).some(([key, value]) => key === 'default' || hasDefaults(value))
}
