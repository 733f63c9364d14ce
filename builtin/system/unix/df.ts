import type { Space } from '../../../server/modules/machines.ts'
import type { Mount } from '../linux/mounts.ts'

/** In POSIX's format, which every df has: one line for each file system, sizes in units of 1024 bytes. */
export const DF = ['env', 'LC_ALL=C', 'df', '-Pk'] as const

/** File systems that aren't storage on systems other than Linux; their source says so. */
const PSEUDO = /^(devfs|procfs|fdescfs|linprocfs|linsysfs|tmpfs|map |none$)/

/** The file systems that `df -Pk` lists, without those of no size. Their type is unknown. */
export function parseDf(text: string): (Mount & { space: Space })[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      // The name of a source may contain spaces, so the figures are looked for.
      const words = line.trim().split(/\s+/)
      const at = words.findIndex(
        (_word, index) =>
          index > 0 &&
          words.slice(index, index + 3).every((word) => /^-?\d{1,15}$/.test(word)) &&
          /^(\d{1,3}%|-)$/.test(words[index + 3] ?? ''),
      )
      const source = words.slice(0, at).join(' ')
      const path = words.slice(at + 4).join(' ')
      const [size = 0, used = 0, available = 0] = words.slice(at, at + 3).map((word) => Number(word) * 1024)
      if (at === -1 || size <= 0 || !path.startsWith('/') || PSEUDO.test(source)) return []
      const space = { size, used, available: Math.max(available, 0), inodes: 0, inodes_used: 0 }
      return [{ path, source, type: '', readOnly: false, space }]
    })
}
