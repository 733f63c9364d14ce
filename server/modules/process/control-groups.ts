import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { TASK_LIMIT } from '../../sandbox/resource-limits.ts'
import { readProcessTable } from './process-table.ts'

const GROUP_PREFIX = 'module-'
/** Group for the processes of the service itself: a group that limits its subgroups must not contain processes. */
const SERVICE_GROUP = 'service'
const NEEDED = ['memory', 'pids']
const REMOVE_ATTEMPTS = 20
const REMOVE_PAUSE_MS = 25

/** A kernel control group (cgroup v2) that contains the processes of one module. */
export interface ControlGroup {
  /** A process that writes `0` here joins the group, and so does everything it then starts. */
  readonly entrance: string
  /** Bytes it holds now, without file pages that the kernel can drop; null when that cannot be read. */
  memory(): Promise<number | null>
  /** Whether the kernel ended a process in it for going over the memory limit. */
  overrun(): boolean
  /** Ends everything in it at once. */
  kill(): void
  remove(): Promise<void>
}

export interface ControlGroups {
  /** Bounds memory (swap included) by `memoryBytes`. @throws when the kernel refuses */
  make(name: string, memoryBytes: number): ControlGroup
}

/**
 * Prepares the control group of this service for subgroups, one per module. Returns a string with the reason when that
 * isn't possible: no group was delegated to the service (systemd does so with `Delegate=yes`).
 */
export function openControlGroups(mount = '/sys/fs/cgroup', self = '/proc/self/cgroup'): ControlGroups | string {
  const path = /^0::(\/.*)$/m.exec(read(self))?.[1]
  if (path === undefined) return 'the machine has no control groups of version 2'
  const own = join(mount, path)
  // A service restarted by a program that keeps running finds itself in the group it made earlier.
  const base = path.endsWith(`/${SERVICE_GROUP}`) ? join(own, '..') : own
  const missing = NEEDED.filter((name) => !read(join(base, 'cgroup.controllers')).split(/\s+/).includes(name))
  if (missing.length > 0) return `its control group has no controller for ${missing.join(' and ')}`
  try {
    if (base === own) moveService(base)
    writeFileSync(join(base, 'cgroup.subtree_control'), NEEDED.map((name) => `+${name}`).join(' '))
    removeOldGroups(base)
  } catch (error) {
    return error instanceof Shared ? error.message : 'its control group is not delegated to it'
  }
  let made = 0
  return {
    make(name, memoryBytes) {
      const folder = join(base, `${GROUP_PREFIX}${name}-${process.pid}-${(made += 1)}`)
      mkdirSync(folder)
      try {
        return openGroup(folder, memoryBytes)
      } catch (error) {
        rmdirSync(folder)
        throw error
      }
    },
  }
}

class Shared extends Error {}

/**
 * Moves only what belongs to this service: a group shared with other programs, such as that of a login, is left
 * unchanged.
 */
function moveService(base: string): void {
  const pids = numbers(read(join(base, 'cgroup.procs')))
  const table = readProcessTable()
  const ours = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = table.get(at)?.parent)
      if (at === process.pid) return true
    return false
  }
  if (pids.some((pid) => pid !== process.ppid && !ours(pid)))
    throw new Shared('its control group is shared with other programs')
  const group = join(base, SERVICE_GROUP)
  mkdirSync(group, { recursive: true })
  for (const pid of pids) writeFileSync(join(group, 'cgroup.procs'), String(pid))
}

/** Removes the groups left behind by a service that was killed; a group that still contains a process stays. */
function removeOldGroups(base: string): void {
  for (const name of readdirSync(base).filter((entry) => entry.startsWith(GROUP_PREFIX))) {
    try {
      rmdirSync(join(base, name))
    } catch {
      // Its processes are swept through their pid files, and the next start removes the group.
    }
  }
}

function openGroup(folder: string, memoryBytes: number): ControlGroup {
  const file = (name: string): string => join(folder, name)
  writeFileSync(file('memory.max'), String(memoryBytes))
  // Kernels without swap accounting don't have this file.
  if (existsSync(file('memory.swap.max'))) writeFileSync(file('memory.swap.max'), '0')
  writeFileSync(file('memory.oom.group'), '1')
  writeFileSync(file('pids.max'), String(TASK_LIMIT))
  return {
    entrance: file('cgroup.procs'),
    async memory() {
      const current = Number(await readFile(file('memory.current'), 'latin1').catch(() => 'NaN'))
      const detail = await readFile(file('memory.stat'), 'latin1').catch(() => '')
      return Number.isNaN(current) ? null : current - (field(detail, 'file') - field(detail, 'shmem'))
    },
    overrun: () => field(read(file('memory.events')), 'oom_kill') > 0,
    kill() {
      try {
        writeFileSync(file('cgroup.kill'), '1')
      } catch {
        // Kernels before 5.14 don't have this file: there the processes are ended one by one.
      }
    },
    async remove() {
      for (let attempt = 1; ; attempt++) {
        try {
          return rmdirSync(folder)
        } catch (error) {
          const { code } = error as NodeJS.ErrnoException
          if (code === 'ENOENT') return
          // The kernel still counts an ended process for a moment.
          if (code !== 'EBUSY' || attempt === REMOVE_ATTEMPTS) throw error
          await sleep(REMOVE_PAUSE_MS)
        }
      }
    },
  }
}

/**
 * Wraps a command so that it joins the group before its first instruction. If that fails it runs anyway, watched from
 * outside.
 */
export function inGroup(group: ControlGroup, command: readonly string[]): string[] {
  return ['/bin/sh', '-c', '{ echo 0 > "$0"; } 2>/dev/null; exec "$@"', group.entrance, ...command]
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

function numbers(text: string): number[] {
  return text.split('\n').filter(Boolean).map(Number)
}

function field(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}
