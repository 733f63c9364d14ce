import { createHash } from 'node:crypto'
import { shortName } from '../kernel/text/short-name.ts'

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
  /**
   * The tool that the model means. `exact`: as it was sent. Otherwise the one tool that it can be, with what models add
   * left out; null: none, or several.
   */
  meant(name: string): { readonly name: string; readonly exact: boolean } | null
}

/** What models put before or after a name: where their training had the tools, and marks of their own format. */
const ADDED = /^(?:functions|function|tools|tool|default_api|mcp)(?:[.:/]|__)|<\|.*$|\(\)$/gi

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
  const offered = [...names]
  for (const name of offered) add(name)
  const meant: ToolNames['meant'] = (given) => {
    const exact = nameBySafe.get(given)
    if (exact !== undefined) return { name: exact, exact: true }
    const plain = plainName(given.trim().replace(ADDED, ''))
    const whole = offered.filter((name) => plainName(name) === plain)
    const found = whole.length > 0 ? whole : offered.filter((name) => plainName(name.replace(/^[^.]*\./, '')) === plain)
    return found.length === 1 ? { name: found[0]!, exact: false } : null
  }
  return { safe: add, meant }
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '_')
}

/**
 * What is readable of it plus a hash of the whole, for names that are too long, contain unusual characters, or clash with
 * another tool.
 */
function hashed(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 10)
  const dot = name.indexOf('.')
  const short = shortName(name.slice(0, Math.max(0, dot)), name.slice(dot + 1), LENGTH - digest.length - 1)
  return `${short.replace(/^[^a-zA-Z_]/, '_')}_${digest}`
}
