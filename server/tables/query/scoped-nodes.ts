type Node = Record<string, unknown>

/** An object of a parsed query, and the names of parts (WITH …) that it may use besides the tables. */
export interface ScopedNode {
  readonly node: Node
  readonly names: ReadonlySet<string>
}

/**
 * All objects of a query that DuckDB has parsed, each with the names in scope, in lower case: the name of a part is in
 * scope in the query that declares it, in everything within that, and in later parts. Not recursive: a query may be
 * nested deeper than the stack.
 */
export function* scopedNodes(query: unknown): Generator<ScopedNode> {
  const queue: { value: unknown; names: ReadonlySet<string> }[] = [{ value: query, names: new Set() }]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { value } = next
    if (value === null || typeof value !== 'object') continue
    if (Array.isArray(value)) {
      for (const item of value) queue.push({ value: item, names: next.names })
      continue
    }
    const node = value as Node
    let { names } = next
    for (const { key, value: part } of partsOf(node)) {
      queue.push({ value: part, names })
      names = new Set([...names, key.toLowerCase()])
    }
    // A recursive part is in scope within itself.
    const own = typeof node['cte_name'] === 'string' ? new Set([...names, node['cte_name'].toLowerCase()]) : names
    yield { node, names }
    for (const [member, inner] of Object.entries(node))
      if (member !== 'cte_map') queue.push({ value: inner, names: own })
  }
}

function partsOf(node: Node): readonly { key: string; value: unknown }[] {
  const { map } = (node['cte_map'] ?? {}) as { map?: { key: string; value: unknown }[] }
  return map ?? []
}
