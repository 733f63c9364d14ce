import type { KyselyPlugin, RootOperationNode } from 'kysely'

/** The first words of a query written as SQL. */
const ASKS = /^\s*(?:select|with|pragma|explain)\b/i

/** Stops anything but a query before it runs: a reader's type cannot see what is written as SQL or behind a cast. */
export const REFUSE_WRITES: KyselyPlugin = {
  transformQuery: ({ node }) => {
    if (!isQuery(node)) throw new TypeError(`Only queries run here, and this is a ${node.kind}.`)
    return node
  },
  transformResult: async ({ result }) => result,
}

function isQuery(node: RootOperationNode): boolean {
  if (node.kind === 'RawNode') return ASKS.test(node.sqlFragments[0] ?? '')
  return node.kind === 'SelectQueryNode'
}
