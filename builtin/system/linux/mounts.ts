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
  /** Empty where the system does not say. */
  readonly type: string
  readonly readOnly: boolean
}

/** Mounted storage of /proc/self/mountinfo, each device once (at its first mount point), without pseudo file systems. */
export function parseMounts(text: string | null): Mount[] {
  const mounts = new Map<string, Mount>()
  const paths = new Set<string>()
  // The last mount on a path is the visible one.
  for (const line of (text ?? '').trim().split('\n').reverse()) {
    const [left = '', right = ''] = line.split(' - ')
    const [, , device = '', , path = '', options = ''] = left.split(' ')
    const [type = '', source = ''] = right.split(' ')
    const place = unescapePath(path)
    const hidden = paths.has(place)
    paths.add(place)
    if (hidden || PSEUDO.has(type) || !place.startsWith('/') || place.includes('\0')) continue
    mounts.set(device, { path: place, source: unescapePath(source), type, readOnly: options.split(',').includes('ro') })
  }
  return [...mounts.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** The kernel escapes space, tab, newline and backslash in octal. */
function unescapePath(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
}
