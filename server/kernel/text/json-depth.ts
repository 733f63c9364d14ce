/**
 * Maximum nesting of objects and lists in JSON from outside. Anything deeper is meaningless here and would overflow
 * recursive functions.
 */
export const JSON_DEPTH = 100

/** Whether a JSON value is nested deeper than `JSON_DEPTH`. Not recursive, since recursion is what it guards. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = []
    for (const item of level) {
      if (item === null || typeof item !== 'object') continue
      if (depth === JSON_DEPTH) return true
      for (const member of Object.values(item)) if (member !== null && typeof member === 'object') next.push(member)
    }
    level = next
  }
  return false
}

/**
 * Whether a field is called `__proto__`: copies would lose it, and what is shown would not be what is called. Only for what
 * is not too deep.
 */
export function namesPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(namesPrototype)
}
