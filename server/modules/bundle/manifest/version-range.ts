import { satisfies, validRange } from 'semver'

const LENGTH_LIMIT = 200

/**
 * Whether a version lies in a range in the syntax of package managers, commas between comparators included. Null when
 * the range cannot be parsed.
 */
export function inVersionRange(version: string, range: string): boolean | null {
  const plain = range.replaceAll(',', ' ')
  if (range.length > LENGTH_LIMIT || validRange(plain) === null) return null
  return satisfies(version, plain, { includePrerelease: true })
}
