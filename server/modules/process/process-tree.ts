import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { readProcessTable, type ProcessRow } from './process-table.ts'

const KILL_DEADLINE_MS = 5000
const LONGEST_PAUSE_MS = 50

/** How the processes of a module are found again. */
export interface TreeRoot {
  readonly pid: number
  /** Start time of the root, so that a number that was given out again is not taken for it. */
  readonly started: string
  /** Its TMPDIR, which nobody else has: finds processes that left the tree, unless they cleared their environment. */
  readonly temporary: string
}

/**
 * Those of `table` that belong to the module: the root and its descendants, its process group and session, and what was
 * seen of it before (`known`, by number with start time; what is found is added).
 */
export function treeMembers(
  table: ReadonlyMap<number, ProcessRow>,
  root: TreeRoot,
  known: Map<number, string>,
): ProcessRow[] {
  const rows = [...table.values()]
  const alive = table.get(root.pid)
  const rootIsThere = alive === undefined || alive.started === root.started
  const members = new Map<number, ProcessRow>()
  for (const row of rows) {
    const ours =
      (row.pid === root.pid && row.started === root.started) ||
      (rootIsThere && row.pid !== root.pid && (row.group === root.pid || row.session === root.pid)) ||
      known.get(row.pid) === row.started
    if (ours) members.set(row.pid, row)
  }
  for (let before = -1; before !== members.size;) {
    before = members.size
    for (const row of rows) if (members.has(row.parent)) members.set(row.pid, row)
  }
  for (const row of members.values()) known.set(row.pid, row.started)
  for (const pid of known.keys()) if (!members.has(pid)) known.delete(pid)
  return [...members.values()].filter((row) => !row.zombie)
}

/** Sends a signal; a process that is gone meanwhile is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // Gone, or no longer ours.
  }
}

/**
 * Kills everything of a module and resolves when nothing that can be found is left, with how many there were.
 * Gives up after 5 s: a process that hangs in the kernel cannot be killed.
 */
export async function killTree(root: TreeRoot, known = new Map<number, string>()): Promise<number> {
  const seen = new Set<number>()
  const end = performance.now() + KILL_DEADLINE_MS
  for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const table = readProcessTable()
    for (const row of table.values()) if (isMarked(row, root.temporary)) known.set(row.pid, row.started)
    const members = treeMembers(table, root, known)
    if (members.length === 0 || performance.now() > end) return seen.size
    // The whole group in one step, so that a process that starts others all the time does not outrun us.
    if (members.some((row) => row.group === root.pid)) signalProcess(-root.pid, 'SIGKILL')
    for (const row of members) {
      seen.add(row.pid)
      signalProcess(row.pid, 'SIGKILL')
    }
    await sleep(pause)
  }
}

function isMarked(row: ProcessRow, temporary: string): boolean {
  if (row.zombie || row.pid === process.pid) return false
  try {
    return `\0${readFileSync(`/proc/${row.pid}/environ`, 'utf8')}`.includes(`\0TMPDIR=${temporary}\0`)
  } catch {
    return false
  }
}
