/**
 * A separate program, started by parent-watch.ts: it remembers which modules and commands are running, and ends what is
 * left of them when its input ends, which means that the service is gone for whatever reason. A module that may run only
 * until some time is ended then, unless the service has said a later one: it may stand still.
 */
import { createInterface } from 'node:readline'
import { readProcessTable } from './process-table.ts'
import { killTree, treeMembers, type TreeRoot } from './process-tree.ts'

const LOOK_MS = 1000
/** By root process id: how it is found again, and which of its processes were seen. */
const roots = new Map<number, { root: TreeRoot; known: Map<number, string>; until?: NodeJS.Timeout }>()

/** `at` in milliseconds of the machine's clock that only goes forward. */
interface Until {
  readonly pid: number
  readonly at: number
}

function endAt({ pid, at }: Until): void {
  const found = roots.get(pid)
  if (found === undefined) return
  clearTimeout(found.until)
  const left = at - Number(process.hrtime.bigint() / 1_000_000n)
  found.until = setTimeout(() => void killTree(found.root, found.known), Math.max(left, 0))
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { add, remove, until } = JSON.parse(line) as { add?: TreeRoot; remove?: number; until?: Until }
    if (add !== undefined) roots.set(add.pid, { root: add, known: new Map() })
    if (until !== undefined) endAt(until)
    if (remove === undefined) return
    clearTimeout(roots.get(remove)?.until)
    roots.delete(remove)
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
