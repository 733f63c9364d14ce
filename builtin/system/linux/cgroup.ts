import { readKernelFile } from './proc.ts'

/** Memory limit and use of the control group this service runs in (bytes), or null when there is no limit. */
export function readMemoryLimit(): { limit: number; used: number } | null {
  const groups = (readKernelFile('/proc/self/cgroup') ?? '').split('\n').map((line) => line.split(':'))
  const unified = groups.find(([id]) => id === '0')?.[2] ?? '/'
  const legacy = groups.find(([, controllers]) => controllers?.split(',').includes('memory'))?.[2] ?? '/'
  return (
    limitAbove('/sys/fs/cgroup', unified, 'memory.max', 'memory.current') ??
    limitAbove('/sys/fs/cgroup/memory', legacy, 'memory.limit_in_bytes', 'memory.usage_in_bytes')
  )
}

/**
 * The tightest limit between the group and the root. In a container the path may not exist; then the root is the group.
 */
function limitAbove(
  root: string,
  group: string,
  limitFile: string,
  usedFile: string,
): { limit: number; used: number } | null {
  let tightest: { limit: number; used: number } | null = null
  for (let path = group.replace(/\/+$/, ''); ; path = path.slice(0, path.lastIndexOf('/'))) {
    const limit = Number(readKernelFile(`${root}${path}/${limitFile}`)?.trim() || NaN)
    const used = Number(readKernelFile(`${root}${path}/${usedFile}`)?.trim() || NaN)
    // Version 1 represents "no limit" as a number near 2^63.
    if (limit < 2 ** 60 && !Number.isNaN(used) && (tightest === null || limit < tightest.limit))
      tightest = { limit, used }
    if (path === '') return tightest
  }
}
