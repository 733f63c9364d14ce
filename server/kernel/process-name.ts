import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { newSecret } from './id.ts'

/**
 * A name for this process that no other ever has: `boot/namespace/pid/start/random`. Boot of the machine, PID
 * namespace, PID and start time identify the process; the random part distinguishes two services in one process.
 */
export function nameThisProcess(): string {
  return [bootId(), namespace(), process.pid, readState(process.pid)?.started ?? '', newSecret().slice(0, 12)].join('/')
}

/**
 * True when the process of that name has certainly ended. Whatever cannot be determined from here (another machine,
 * another container, an earlier boot, no /proc) counts as running: only time can tell.
 */
export function hasProcessEnded(name: string): boolean {
  const [boot, space, pid, started, ...rest] = name.split('/')
  if (rest.length !== 1 || boot !== bootId() || space === '' || space !== namespace()) return false
  const state = readState(Number(pid))
  return state === null || state.zombie || state.started !== started
}

/** Identifies the boot of this machine, or the machine itself where boots have no identity. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return hostname()
  }
}

/** Containers number their processes separately: a PID means nothing outside. Empty if it cannot be determined. */
function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

/** `started`: clock ticks since the machine booted. Null when there is no such process. */
function readState(pid: number): { zombie: boolean; started: string } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name in parentheses may contain any character, so the fields begin after the last one.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { zombie: fields[0] === 'Z' || fields[0] === 'X', started: fields[19] ?? '' }
  } catch {
    return null
  }
}
