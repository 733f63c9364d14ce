import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { readProcessTable, type ProcessRow } from './process-table.ts'

const KILL_DEADLINE_MS = 5000
const LONGEST_PAUSE_MS = 50

/** How the processes of a module or a command are found again. */
export interface TreeRoot {
  readonly pid: number
  /** Start time of the root, so that a reused process id is not mistaken for it. */
  readonly started: string
  /**
   * Its TMPDIR, which is unique: finds processes that left the tree, unless they cleared their environment. Null for a
   * command, because what it detached on purpose (a service that it started) is meant to stay.
   */
  readonly temporary: string | null
}

/**
 * The processes of `table` that belong to the module: the root and its descendants, its process group and session, and
 * those seen before (`known`, process id → start time, to which the processes found are added).
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

/** Sends a signal; it is fine if the process is gone. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // Gone, or no longer ours.
  }
}

/**
 * Kills all processes of a module and resolves with their number once none can be found any more.
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
    // The whole group in one step, so that a process that keeps starting others cannot outrun us.
    if (members.some((row) => row.group === root.pid)) signalProcess(-root.pid, 'SIGKILL')
    for (const row of members) {
      seen.add(row.pid)
      signalProcess(row.pid, 'SIGKILL')
    }
    await sleep(pause)
  }
}

function isMarked(row: ProcessRow, temporary: string | null): boolean {
  if (temporary === null || row.zombie || row.pid === process.pid) return false
  try {
    return `\0${readFileSync(`/proc/${row.pid}/environ`, 'utf8')}`.includes(`\0TMPDIR=${temporary}\0`)
  } catch {
    return false
  }
}
