import { createHash } from 'node:crypto'

/**
 * What every provider accepts: letters, digits, `_`, `-`, not starting with a digit, at most 64 characters (these stay
 * below).
 */
const SAFE = /^[a-zA-Z_][\w-]{0,59}$/
const LENGTH = 60

/** Two-way table between `<module>.<tool>` and names a provider accepts; built per request. */
export interface ToolNames {
  /**
   * The name to send. Names that are not (or no longer) tools get a valid one as well, since the history may mention
   * them.
   */
  safe(name: string): string
  /** The name the model means; one it invented comes back unchanged. */
  original(safe: string): string
}

export function toolNames(names: Iterable<string>): ToolNames {
  const safeByName = new Map<string, string>()
  const nameBySafe = new Map<string, string>()
  const add = (name: string): string => {
    const known = safeByName.get(name)
    if (known !== undefined) return known
    const plain = name.replaceAll('.', '__')
    const safe = SAFE.test(plain) && !nameBySafe.has(plain) ? plain : hashed(name)
    safeByName.set(name, safe)
    nameBySafe.set(safe, name)
    return safe
  }
  for (const name of names) add(name)
  return { safe: add, original: (safe) => nameBySafe.get(safe) ?? safe }
}

/**
 * A readable start plus a hash of the whole, for names that are too long, contain unusual characters, or clash with
 * another tool.
 */
function hashed(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 10)
  const start = name
    .replaceAll('.', '__')
    .replace(/[^\w-]/g, '_')
    .replace(/^[^a-zA-Z_]/, '_')
  return `${start.slice(0, LENGTH - digest.length - 1)}_${digest}`
}
