import { readFileSync } from 'node:fs'
import { readdir, readFile, readlink, stat, statfs } from 'node:fs/promises'

const TMPFS_MAGIC = 0x01021994
const PSS = /^(?:Pss|SwapPss):\s+(\d+) kB$/gm
/** How a mapping in /proc/<pid>/smaps begins: addresses, permissions, offset, device, inode. */
const MAPPING = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ (\d+)/

/**
 * Bytes of memory that these processes hold together, in RAM and swap. Shared pages count once (PSS), and open
 * in-memory files (memfd, tmpfs) count in full, mapped or not. Up to `enough` the sum may be too high by what is both
 * open and mapped; above that it is exact. Processes that end meanwhile don't count.
 */
export async function memoryUse(pids: readonly number[], enough: number): Promise<number> {
  let mapped = 0
  const open = new Map<string, number>()
  for (const pid of pids) {
    mapped += await proportional(pid)
    await filesInMemory(pid, open)
  }
  const held = [...open.values()].reduce((sum, bytes) => sum + bytes, 0)
  if (held === 0 || mapped + held <= enough) return mapped + held
  let both = 0
  for (const pid of pids) both += await mappedOf(pid, open)
  return mapped + held - both
}

/** The memory of one process with its share of what it shares (PSS), without files in memory: a quick first figure. */
export function memoryOfOne(pid: number): number {
  try {
    return kibibytes(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'), PSS)
  } catch {
    return residentMemory(pid)
  }
}

/** Resident bytes of one process, shared pages included. */
function residentMemory(pid: number): number {
  try {
    return kibibytes(readFileSync(`/proc/${pid}/status`, 'latin1'), /^Vm(?:RSS|Swap):\s+(\d+) kB$/gm)
  } catch {
    return 0
  }
}

async function proportional(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'latin1').catch(() => null)
  // The kernel lacks it, or the process may not be inspected: shared pages then count for each process.
  return text === null ? residentMemory(pid) : kibibytes(text, PSS)
}

/** Adds the in-memory files that the process has open: inode → bytes. */
async function filesInMemory(pid: number, open: Map<string, number>): Promise<void> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => [])
  for (const name of names) {
    const path = `/proc/${pid}/fd/${name}`
    const target = await readlink(path).catch(() => '')
    if (!target.startsWith('/memfd:') && !target.startsWith('/dev/shm/') && !target.endsWith(' (deleted)')) continue
    try {
      if ((await statfs(path)).type !== TMPFS_MAGIC) continue
      const { ino, blocks } = await stat(path)
      open.set(String(ino), blocks * 512)
    } catch {
      // It was closed meanwhile.
    }
  }
}

/** Bytes of those files that are also mapped and therefore already in PSS. */
async function mappedOf(pid: number, open: ReadonlyMap<string, number>): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps`, 'latin1').catch(() => '')
  let bytes = 0
  let counts = false
  for (const line of text.split('\n')) {
    const mapping = MAPPING.exec(line)
    if (mapping) counts = open.has(mapping[1]!)
    else if (counts && (line.startsWith('Pss:') || line.startsWith('SwapPss:'))) bytes += kibibytes(line, /(\d+) kB$/gm)
  }
  return bytes
}

function kibibytes(text: string, pattern: RegExp): number {
  let sum = 0
  for (const match of text.matchAll(pattern)) sum += Number(match[1])
  return sum * 1024
}
