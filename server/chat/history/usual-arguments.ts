import { isDeepStrictEqual } from 'node:util'
import type { Tool } from '../ports/tools.ts'

/** Names of the arguments that are as the tool's schema has them by default, to be left out where there is one line. */
export function usualArguments(
  tool: Pick<Tool, 'input_schema'> | undefined,
  given: Readonly<Record<string, unknown>>,
): { usual_arguments?: string[] } {
  const { properties } = tool?.input_schema ?? {}
  if (typeof properties !== 'object' || properties === null) return {}
  const known = new Map(Object.entries(properties as Record<string, unknown>))
  const usual = Object.keys(given).filter((name) => isUsual(known.get(name), given[name]))
  return usual.length === 0 ? {} : { usual_arguments: usual }
}

function isUsual(schema: unknown, value: unknown): boolean {
  if (typeof schema !== 'object' || schema === null || !('default' in schema)) return false
  return isDeepStrictEqual(schema.default, value)
}
