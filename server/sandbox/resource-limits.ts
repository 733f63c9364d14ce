import { readFileSync } from 'node:fs'

/**
 * Threads and processes together, if the kernel can count them per sandbox. A Node process has about a dozen threads.
 */
export const TASK_LIMIT = 1024
/** Open files per process. */
const OPEN_FILES_LIMIT = 4096

/**
 * Options for prlimit: no core dumps, which would contain secrets; a maximum file size, so that the disk is not filled
 * between two measurements; and with `ownUser`, in a sandbox that counts its own, a maximum number of threads. No limit
 * is raised.
 */
export function prlimitOptions(diskBytes: number, ownUser: boolean): string[] {
  const hard = hardLimits()
  const lower = (name: string, value: number): number => Math.min(value, hard.get(name) ?? value)
  return [
    '--core=0',
    `--fsize=${lower('Max file size', diskBytes)}`,
    `--nofile=${lower('Max open files', OPEN_FILES_LIMIT)}`,
    ...(ownUser ? [`--nproc=${lower('Max processes', TASK_LIMIT)}`] : []),
    '--',
  ]
}

function hardLimits(): Map<string, number> {
  const limits = new Map<string, number>()
  let text = ''
  try {
    text = readFileSync('/proc/self/limits', 'latin1')
  } catch {
    return limits
  }
  for (const line of text.split('\n')) {
    const match = /^(Max [a-z ]+?)\s{2,}\S+\s+(\d+)/.exec(line)
    if (match?.[1] !== undefined) limits.set(match[1], Number(match[2]))
  }
  return limits
}
