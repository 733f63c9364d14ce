import { say, type Sentence } from '../../kernel/sentence.ts'

const KEY = 'x-mcp-header'
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const TYPES = ['string', 'integer', 'boolean']

/**
 * What is wrong with the arguments that a tool wants repeated in HTTP headers (`x-mcp-header`, protocol 2026-07-28), as
 * part of a sentence, or null. Only a string, integer or boolean reached through `properties` alone may be repeated,
 * and its header must be a unique token. A tool that breaks this must not be called over HTTP. The caller bounds the
 * schema's depth.
 */
export function headerProblem(schema: object): Sentence | null {
  const seen = new Set<string>()

  function visit(node: unknown, reachable: boolean): Sentence | null {
    if (node === null || typeof node !== 'object') return null
    if (Array.isArray(node)) return first(node, (item) => visit(item, false))
    const { [KEY]: header, type, properties, ...others } = node as Record<string, unknown>
    const wrong =
      header === undefined ? null : reachable ? headerFault(header, type) : say`a header is not allowed in that place`
    if (wrong !== null) return wrong
    const children = properties !== null && typeof properties === 'object' ? Object.values(properties) : []
    return (
      first(children, (child) => visit(child, reachable)) ??
      first(Object.values(others), (other) => visit(other, false))
    )
  }

  function headerFault(header: unknown, type: unknown): Sentence | null {
    if (typeof header !== 'string' || !TOKEN.test(header)) return say`the name of a header is not allowed`
    if (typeof type !== 'string' || !TYPES.includes(type))
      return say`a header is only possible for a text, an integer or a boolean`
    const name = header.toLowerCase()
    if (seen.has(name)) return say`two arguments want the header ${name}`
    seen.add(name)
    return null
  }

  // The root is not an argument.
  return KEY in schema ? say`a header is not allowed in that place` : visit(schema, true)
}

function first<T>(items: readonly T[], find: (item: T) => Sentence | null): Sentence | null {
  for (const item of items) {
    const found = find(item)
    if (found !== null) return found
  }
  return null
}
