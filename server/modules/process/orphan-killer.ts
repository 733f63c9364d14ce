/**
 * A program of its own, started by parent-watch.ts: remembers which modules run, and ends what is left of them when its input
 * ends, which is when the service is gone, however that came.
 */
import { createInterface } from 'node:readline'
import { readProcessTable } from './process-table.ts'
import { killTree, treeMembers, type TreeRoot } from './process-tree.ts'

const LOOK_MS = 1000
/** By number of the root: how it is found again, and which processes were seen of it. */
const roots = new Map<number, { root: TreeRoot; known: Map<number, string> }>()

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { add, remove } = JSON.parse(line) as { add?: TreeRoot; remove?: number }
    if (add !== undefined) roots.set(add.pid, { root: add, known: new Map() })
    if (remove !== undefined) roots.delete(remove)
  })
  .on('close', () => {
    void Promise.all([...roots.values()].map(({ root, known }) => killTree(root, known))).then(() => process.exit(0))
  })

// What leaves the tree later was seen in it before.
setInterval(() => {
  if (roots.size === 0) return
  const table = readProcessTable()
  for (const { root, known } of roots.values()) treeMembers(table, root, known)
}, LOOK_MS)

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
