import { say } from '../../../kernel/sentence.ts'
import { canonicalJson } from '../../../kernel/text/canonical.ts'
import type { Finding } from './finding.ts'
import { readPointer, writePointer } from './pointer.ts'

/**
 * The arguments that a rule with conditions does not speak of: neither named by one of its pointers, nor as the tool's
 * schema has them by default. One is enough, and the rule allows nothing: an argument that nobody thought of cannot ride
 * along.
 */
export function unnamed(
  args: Record<string, unknown>,
  pointers: readonly string[],
  schema: Record<string, unknown>,
): readonly Finding[] {
  const named = pointers.map((pointer) => readPointer(pointer) ?? [])
  return members(args, [], named, schema).map((at) => ({
    at: writePointer(at),
    operator: 'only_these',
    outcome: 'false',
    why: say`The rule names no such argument, and it is not as it is by default.`,
  }))
}

/** `named`: the rest of each pointer, from here on. */
function members(
  value: Record<string, unknown>,
  at: readonly string[],
  named: readonly (readonly string[])[],
  schema: unknown,
): (readonly string[])[] {
  return Object.entries(value).flatMap(([name, member]) => {
    const below = named.filter(([first]) => first === name).map(([, ...rest]) => rest)
    if (below.some((rest) => rest.length === 0)) return []
    const own = property(schema, name)
    if (below.length > 0 && member !== null && typeof member === 'object')
      return members(member as Record<string, unknown>, [...at, name], below, own)
    return isDefault(member, own) ? [] : [[...at, name]]
  })
}

function property(schema: unknown, name: string): unknown {
  const properties = memberOf(schema, 'properties')
  return memberOf(properties, name)
}

function isDefault(value: unknown, schema: unknown): boolean {
  if (schema === null || typeof schema !== 'object' || !Object.hasOwn(schema, 'default')) return false
  return canonicalJson(value) === canonicalJson((schema as { default: unknown }).default)
}

function memberOf(value: unknown, name: string): unknown {
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}
