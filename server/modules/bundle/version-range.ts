import { compareVersions } from './compare-versions.ts'

const COMPARATOR = /^(>=|<=|>|<|=|\^|~>?)?\s*v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(?:-[0-9A-Za-z.-]+)?$/
const LENGTH_LIMIT = 200

/**
 * Whether a version lies in a range as package managers write it: `>=18`, `^20.1`, `~20`, `18.x`, `18 - 20`, several with spaces (all)
 * or `||` (any). Null when the range is not understood.
 */
export function inVersionRange(version: string, range: string): boolean | null {
  if (range.length > LENGTH_LIMIT) return null
  let understood = true
  const inside = range
    .split('||')
    .map((alternative) => {
      const bounds = boundsOf(alternative.trim())
      if (bounds === null) understood = false
      return bounds?.every((bound) => holds(version, bound)) ?? false
    })
    .some(Boolean)
  return understood ? inside : null
}

interface Bound {
  readonly sign: '>=' | '>' | '<' | '<='
  readonly version: string
}

function boundsOf(text: string): Bound[] | null {
  const hyphen = /^(\S+)\s+-\s+(\S+)$/.exec(text)
  if (hyphen !== null) {
    const [low, high] = [comparatorBounds(`>=${hyphen[1]}`), comparatorBounds(`<=${hyphen[2]}`)]
    return low === null || high === null ? null : [...low, ...high]
  }
  const comparators = text.replace(/(>=|<=|>|<|=|\^|~>?)\s+/g, '$1').split(/[\s,]+/)
  const bounds = comparators.map((each) => (each === '' ? [] : comparatorBounds(each)))
  return bounds.includes(null) ? null : bounds.flatMap((each) => each ?? [])
}

function comparatorBounds(text: string): Bound[] | null {
  const match = COMPARATOR.exec(text)
  if (match === null) return null
  const sign = match[1] ?? ''
  const parts: number[] = []
  for (const part of match.slice(2, 5)) {
    if (part === undefined || /[xX*]/.test(part)) break
    parts.push(Number(part))
  }
  if (parts.length === 0) return sign === '<' || sign === '>' ? null : []
  const low = parts.join('.')
  // Everything below the next number at this place begins with the given parts.
  const above = (place: number): string => [...parts.slice(0, place), parts[place]! + 1].join('.')
  const next = above(parts.length - 1)
  const whole = parts.length === 3
  switch (sign) {
    case '>=':
    case '<':
      return [{ sign, version: low }]
    case '>':
      return [whole ? { sign, version: low } : { sign: '>=', version: next }]
    case '<=':
      return [whole ? { sign, version: low } : { sign: '<', version: next }]
    case '^': {
      const fixed = parts.findIndex((part) => part > 0)
      return [
        { sign: '>=', version: low },
        { sign: '<', version: above(fixed === -1 ? parts.length - 1 : fixed) },
      ]
    }
    case '~':
    case '~>':
      return [
        { sign: '>=', version: low },
        { sign: '<', version: above(Math.min(1, parts.length - 1)) },
      ]
    default:
      return whole
        ? [
            { sign: '>=', version: low },
            { sign: '<=', version: low },
          ]
        : [
            { sign: '>=', version: low },
            { sign: '<', version: next },
          ]
  }
}

function holds(version: string, bound: Bound): boolean {
  const order = compareVersions(version, bound.version)
  return { '>=': order >= 0, '>': order > 0, '<': order < 0, '<=': order <= 0 }[bound.sign]
}
