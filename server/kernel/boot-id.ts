import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** Identifies the boot of this machine, or the machine itself where boots have no identity. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return hostname()
  }
}
