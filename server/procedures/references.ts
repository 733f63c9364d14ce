import { PARAM_KEY, paramOf } from '../../contract/parameter-reference.ts'

/** Where in the arguments of a step something stands. */
export interface Reference {
  /** From the arguments down, joined by points. */
  readonly path: string
  readonly param: string
}

/**
 * The parameters that arguments refer to. Anything else with the key of a reference is none, and never taken for a value:
 * null then, with where it stands.
 */
export function referencesIn(value: unknown, path = ''): { readonly found: Reference[]; readonly odd: string | null } {
  const found: Reference[] = []
  let odd: string | null = null
  const visit = (item: unknown, at: string): void => {
    if (item === null || typeof item !== 'object') return
    if (!Array.isArray(item) && Object.hasOwn(item, PARAM_KEY)) {
      const param = paramOf(item)
      if (param === null) odd ??= at
      else found.push({ path: at, param })
      return
    }
    for (const [key, member] of Object.entries(item)) visit(member, at === '' ? key : `${at}.${key}`)
  }
  visit(value, path)
  return { found, odd }
}

/** The arguments with each reference replaced by the whole value of its parameter. Nothing is ever put into a text. */
export function fillIn(value: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((item) => fillIn(item, values))
  const param = paramOf(value)
  if (param !== null) return Object.hasOwn(values, param) ? values[param] : null
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn(item, values)]))
}
