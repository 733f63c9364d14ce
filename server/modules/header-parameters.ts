const KEY = 'x-mcp-header'
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const TYPES = ['string', 'integer', 'boolean']

/**
 * What is wrong with the arguments that a tool wants repeated in HTTP headers (`x-mcp-header`, protocol 2026-07-28), or null. Only a
 * property that is a string, integer or boolean and reached through `properties` alone may be; its header is a token that no other
 * has. A tool that breaks this must not be called over HTTP. The schema's depth is bounded by who calls this.
 */
export function headerProblem(schema: object): string | null {
  const seen = new Set<string>()

  function visit(node: unknown, reachable: boolean): string | null {
    if (node === null || typeof node !== 'object') return null
    if (Array.isArray(node)) return first(node, (item) => visit(item, false))
    const { [KEY]: header, type, properties, ...others } = node as Record<string, unknown>
    const wrong =
      header === undefined ? null : reachable ? headerFault(header, type) : 'a header stands where it may not'
    if (wrong !== null) return wrong
    const children = properties !== null && typeof properties === 'object' ? Object.values(properties) : []
    return (
      first(children, (child) => visit(child, reachable)) ??
      first(Object.values(others), (other) => visit(other, false))
    )
  }

  function headerFault(header: unknown, type: unknown): string | null {
    if (typeof header !== 'string' || !TOKEN.test(header)) return 'the name of a header is not allowed'
    if (typeof type !== 'string' || !TYPES.includes(type)) return 'a header is wanted for a value that is none'
    const name = header.toLowerCase()
    if (seen.has(name)) return `two arguments want the header ${name}`
    seen.add(name)
    return null
  }

  // The root is no argument.
  return KEY in schema ? 'a header stands where it may not' : visit(schema, true)
}

function first<T>(items: readonly T[], find: (item: T) => string | null): string | null {
  for (const item of items) {
    const found = find(item)
    if (found !== null) return found
  }
  return null
}
