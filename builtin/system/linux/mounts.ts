import { statfs } from 'node:fs/promises'
import { runProgram } from '../programs/run-program.ts'
import { readKernelFile } from './proc.ts'

const DEADLINE_MS = 1500
const NETWORK = /^(nfs\d?|cifs|smb\d?|smbfs|9p|ceph|glusterfs|afs|lustre|ncpfs|ocfs2|fuse\..+|fuse)$/
/** Kernel views, which aren't storage, and squashfs, whose images are always full. */
const PSEUDO = new Set(
  (
    'autofs binfmt_misc bpf cgroup cgroup2 configfs debugfs devpts devtmpfs efivarfs fusectl fuse.lxcfs fuse.gvfsd-fuse fuse.portal ' +
    'hugetlbfs mqueue nsfs proc pstore ramfs rpc_pipefs securityfs selinuxfs squashfs sysfs tracefs'
  ).split(' '),
)

export interface Mount {
  readonly path: string
  readonly source: string
  readonly type: string
  readonly readOnly: boolean
  readonly device: string
}
export interface Capacity {
  /** Bytes. `available` is what an ordinary user can still write; `used` counts root's reserve as free. */
  readonly size: number
  readonly used: number
  readonly available: number
  readonly inodes: number
  readonly inodesUsed: number
}

/** Mounted storage, each device once (at its first mount point), without pseudo file systems. */
export function readMounts(): Mount[] {
  const mounts = new Map<string, Mount>()
  const paths = new Set<string>()
  // The last mount on a path is the visible one.
  for (const line of (readKernelFile('/proc/self/mountinfo') ?? '').trim().split('\n').reverse()) {
    const [left = '', right = ''] = line.split(' - ')
    const [, , device = '', , path = '', options = ''] = left.split(' ')
    const [type = '', source = ''] = right.split(' ')
    const place = unescapePath(path)
    const hidden = paths.has(place)
    paths.add(place)
    if (hidden || PSEUDO.has(type)) continue
    mounts.set(device, {
      path: place,
      source: unescapePath(source),
      type,
      readOnly: options.split(',').includes('ro'),
      device,
    })
  }
  return [...mounts.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Null when the file system does not answer in time: a dead network mount never does. */
export async function readCapacity(mount: Mount, signal: AbortSignal): Promise<Capacity | null> {
  // statfs on a dead network mount would block a thread of this process forever; a child process can be abandoned.
  if (NETWORK.test(mount.type)) return await capacityByChild(mount.path, signal)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, DEADLINE_MS, null)
  })
  try {
    const stats = await Promise.race([statfs(mount.path), late])
    if (stats === null) return null
    return capacity(stats.bsize, stats.blocks, stats.bfree, stats.bavail, stats.files, stats.ffree)
  } catch {
    return null
  } finally {
    clearTimeout(timer)
  }
}

async function capacityByChild(path: string, signal: AbortSignal): Promise<Capacity | null> {
  const result = await runProgram('stat', ['-f', '-c', '%S %b %f %a %c %d', '--', path], {
    deadline_ms: DEADLINE_MS,
    signal,
  }).catch(() => null)
  if (result === null || result.code !== 0) return null
  const [unit = 0, blocks = 0, free = 0, available = 0, files = 0, filesFree = 0] = result.stdout
    .trim()
    .split(' ')
    .map(Number)
  return capacity(unit, blocks, free, available, files, filesFree)
}

function capacity(
  unit: number,
  blocks: number,
  free: number,
  available: number,
  files: number,
  filesFree: number,
): Capacity {
  return {
    size: blocks * unit,
    used: (blocks - free) * unit,
    available: available * unit,
    inodes: files,
    inodesUsed: files - filesFree,
  }
}

/** The kernel escapes space, tab, newline and backslash in octal. */
function unescapePath(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
}
