/** Steps from the arguments down; more are refused on saving. */
export const POINTER_STEPS = 8

/** The steps of a JSON pointer (RFC 6901), or null when it is none. The empty pointer, all arguments, is none here. */
export function readPointer(text: string): readonly string[] | null {
  if (!text.startsWith('/')) return null
  const steps = text.slice(1).split('/')
  if (steps.length > POINTER_STEPS) return null
  const read: string[] = []
  for (const step of steps) {
    const pieces = step.split('~')
    if (pieces.slice(1).some((piece) => piece[0] !== '0' && piece[0] !== '1')) return null
    read.push(step.replaceAll('~1', '/').replaceAll('~0', '~'))
  }
  return read
}

export function writePointer(steps: readonly string[]): string {
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** What a pointer leads to: `there` with the value, `absent`, or `nowhere` when it leads through something else. */
export type Target =
  | { readonly kind: 'there'; readonly value: unknown }
  | { readonly kind: 'absent' }
  | { readonly kind: 'nowhere' }

/** Follows own properties and items only: `constructor` and `__proto__` are what the arguments say, or absent. */
export function follow(value: unknown, steps: readonly string[]): Target {
  let at = value
  for (const [i, step] of steps.entries()) {
    if (at === null || typeof at !== 'object') return { kind: 'nowhere' }
    if (Array.isArray(at) && !isIndex(step)) return { kind: 'nowhere' }
    if (!Object.hasOwn(at, step)) return i === steps.length - 1 ? { kind: 'absent' } : { kind: 'nowhere' }
    at = (at as Record<string, unknown>)[step]
  }
  return { kind: 'there', value: at }
}

/** `0`, `12`, but neither `01` nor `length`. */
function isIndex(step: string): boolean {
  return String(Number.parseInt(step, 10)) === step && !step.startsWith('-')
}
