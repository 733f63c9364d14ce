import { readdirSync, readFileSync } from 'node:fs'

const CLOSED_ON_EXEC = 0o2000000

/**
 * File descriptors, inherited from whatever started the service, that every child of this process would inherit: in a
 * sandbox they would be a way out. Node's own are not included. Empty without /proc.
 */
export function inheritedFiles(): number[] {
  let names: string[]
  try {
    names = readdirSync('/proc/self/fd')
  } catch {
    return []
  }
  return names.map(Number).filter((fd) => fd > 2 && isInherited(fd))
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0
  } catch {
    return false
  }
}
