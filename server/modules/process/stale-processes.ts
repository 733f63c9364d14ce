import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { killTree, type TreeRoot } from './process-tree.ts'
import { readProcess } from './process-table.ts'

/** Name of a module's temporary folder begins so; what does not is never removed. */
export const TEMPORARY_PREFIX = 'reeve-module-'

interface PidFile extends TreeRoot {
  /** Process numbers mean nothing after the machine was started anew. */
  readonly boot: string
  readonly service: { readonly pid: number; readonly started: string }
}

/** Notes a started module in `folder`, for `sweepStale` of a later service. Returns the file, to be removed when it is gone. */
export function writePidFile(folder: string, name: string, root: TreeRoot): string {
  const content: PidFile = {
    ...root,
    boot: bootId(),
    service: { pid: process.pid, started: readProcess(process.pid)?.started ?? '' },
  }
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${name}-${process.pid}-${root.pid}.json`)
  writeFileSync(path, JSON.stringify(content), { mode: 0o600 })
  return path
}

/**
 * Ends what a service that did not end properly left behind, and removes the pid files of `folder`. What belongs to
 * a service that still runs stays. Resolves with the number of modules that were still running.
 */
export async function sweepStale(folder: string): Promise<number> {
  let names: string[]
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch {
    return 0
  }
  const swept = await Promise.all(names.map((name) => sweepOne(join(folder, name))))
  return swept.filter(Boolean).length
}

async function sweepOne(path: string): Promise<boolean> {
  const file = parse(path)
  let ended = false
  if (file !== null && file.boot === bootId()) {
    const service = readProcess(file.service.pid)
    if (service !== null && !service.zombie && service.started === file.service.started) return false
    ended = (await killTree(file)) > 0
  }
  if (file !== null) {
    const folder = dirname(file.temporary)
    const ours = dirname(folder) === tmpdir() && basename(folder).startsWith(TEMPORARY_PREFIX)
    if (ours) rmSync(folder, { recursive: true, force: true })
  }
  rmSync(path, { force: true })
  return ended
}

function parse(path: string): PidFile | null {
  try {
    const file = JSON.parse(readFileSync(path, 'utf8')) as PidFile
    const usable = Number.isInteger(file.pid) && file.pid > 1 && typeof file.temporary === 'string'
    return usable && typeof file.started === 'string' && Number.isInteger(file.service.pid) ? file : null
  } catch {
    return null
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
