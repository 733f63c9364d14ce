import { readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import type { Space } from '../../modules/machines.ts'
import { runGroup } from './run-group.ts'

const NETWORK = /^(nfs\d?|cifs|smb\d?|smbfs|9p|ceph|glusterfs|afs|lustre|ncpfs|ocfs2|fuse\..+|fuse)$/

/** `Machine.space` here. */
export async function readSpace(
  paths: readonly string[],
  deadline_ms: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Space>> {
  signal.throwIfAborted()
  const network = networkMounts()
  const asked = paths.map(async (path): Promise<[string, Space | null]> => {
    // statfs on a dead network mount would block a thread of this process forever; another process can be abandoned.
    const silent = network.some((mount) => path === mount || path.startsWith(`${mount}/`))
    return [path, await (silent ? askByProgram(path, deadline_ms, signal) : ask(path))]
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, deadline_ms, null)
  })
  const answers = await Promise.all(asked.map((each) => Promise.race([each, late])))
  clearTimeout(timer)
  signal.throwIfAborted()
  return new Map(answers.filter((each): each is [string, Space] => each !== null && each[1] !== null))
}

async function ask(path: string): Promise<Space | null> {
  try {
    const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(path)
    return space(bsize, blocks, bfree, bavail, files, ffree)
  } catch {
    return null
  }
}

async function askByProgram(path: string, deadline_ms: number, signal: AbortSignal): Promise<Space | null> {
  const argv = ['stat', '-f', '-c', '%S %b %f %a %c %d', '--', path] as const
  const end = await runGroup({ argv, deadline_ms, max_bytes: 4096 }, null, signal)
  if (end.kind !== 'ended' || end.exit_code !== 0) return null
  const [unit = 0, blocks = 0, free = 0, available = 0, files = 0, filesFree = 0] = end.stdout
    .trim()
    .split(' ')
    .map(Number)
  return space(unit, blocks, free, available, files, filesFree)
}

function space(unit: number, blocks: number, free: number, available: number, files: number, filesFree: number): Space {
  return {
    size: blocks * unit,
    used: (blocks - free) * unit,
    available: available * unit,
    inodes: files,
    inodes_used: files - filesFree,
  }
}

/** Where network file systems are mounted, which may not answer. */
function networkMounts(): string[] {
  let text: string
  try {
    text = readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return []
  }
  return text.split('\n').flatMap((line) => {
    const [left = '', type = ''] = line.split(' - ')
    if (!NETWORK.test(type.split(' ')[0] ?? '')) return []
    const path = left.split(' ')[4] ?? ''
    // The kernel escapes space, tab, newline and backslash in octal.
    return [path.replace(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))]
  })
}
