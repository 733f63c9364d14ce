import type { KernelTexts } from './kernel-texts.ts'

/** Which groups the program is in that reads this: the service itself, or the session that an account has elsewhere. */
export const OWN_GROUPS = '/proc/self/cgroup'
const DEPTH_MAX = 32

interface Limit {
  readonly limit: string
  readonly used: string
}

/**
 * The pairs of files that can limit a group: its own and those above it, of version 2 of control groups and of version 1, if
 * the kernel has them.
 */
export function memoryLimitFiles(groups: string | null): readonly (readonly Limit[])[] {
  const lines = (groups ?? '').split('\n').map((line) => line.split(':'))
  const unified = lines.find(([id]) => id === '0')?.[2]
  const legacy = lines.find(([, controllers]) => controllers?.split(',').includes('memory'))?.[2]
  const pairs = (root: string, group: string | undefined, limit: string, used: string) =>
    group === undefined
      ? []
      : above(group).map((path) => ({ limit: `${root}${path}/${limit}`, used: `${root}${path}/${used}` }))
  return [
    pairs('/sys/fs/cgroup', unified, 'memory.max', 'memory.current'),
    pairs('/sys/fs/cgroup/memory', legacy, 'memory.limit_in_bytes', 'memory.usage_in_bytes'),
  ]
}

/**
 * The tightest memory limit between the group and the root, and its use (bytes), or null when there is no limit. In a
 * container the path may not exist; then the root is the group.
 */
export function tightestLimit(
  versions: readonly (readonly Limit[])[],
  texts: KernelTexts,
): { limit: number; used: number } | null {
  for (const files of versions) {
    let tightest: { limit: number; used: number } | null = null
    for (const path of files) {
      const limit = Number(texts.trimmed(path.limit) || NaN)
      const used = Number(texts.trimmed(path.used) || NaN)
      // Version 1 represents "no limit" as a number near 2^63.
      if (limit < 2 ** 60 && Number.isFinite(used) && (tightest === null || limit < tightest.limit))
        tightest = { limit, used }
    }
    if (tightest !== null) return tightest
  }
  return null
}

/** A group and those above it, the root last as an empty text. A name that leads elsewhere counts as none. */
function above(group: string): string[] {
  const names = group.split('/').filter((name) => name !== '')
  if (names.length > DEPTH_MAX || names.some((name) => name === '..' || name.includes('\0'))) return ['']
  return Array.from({ length: names.length + 1 }, (_, up) =>
    names
      .slice(0, names.length - up)
      .map((name) => `/${name}`)
      .join(''),
  )
}
