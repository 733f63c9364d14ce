import { PARAM_KEY, paramOf } from '../../contract/parameter-reference.ts'

/** A parameter in the place of a value. */
export function referenceTo(name: string): Readonly<Record<string, string>> {
  return { [PARAM_KEY]: name }
}

/** The same with another name for a parameter; the value itself where it does not refer to it. */
export function renamed(value: unknown, from: string, to: string): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (paramOf(value) === from) return referenceTo(to)
  if (Array.isArray(value)) {
    const items = value.map((item) => renamed(item, from, to))
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  const entries = Object.entries(value).map(([key, item]) => [key, item, renamed(item, from, to)] as const)
  return entries.some(([, before, after]) => before !== after)
    ? Object.fromEntries(entries.map(([key, , after]) => [key, after]))
    : value
}
