/**
 * A separate program, started by parent-watch.ts: it remembers which modules and commands are running, and ends what is
 * left of them when its input ends, which means that the service is gone for whatever reason.
 */
import { createInterface } from 'node:readline'
import { readProcessTable } from './process-table.ts'
import { killTree, treeMembers, type TreeRoot } from './process-tree.ts'

const LOOK_MS = 1000
/** By root process id: how it is found again, and which of its processes were seen. */
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

// A process that leaves the tree later has been seen in it before.
setInterval(() => {
  if (roots.size === 0) return
  const table = readProcessTable()
  for (const { root, known } of roots.values()) if (root.temporary !== null) treeMembers(table, root, known)
}, LOOK_MS)

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
