import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'

/** Ticks per second in /proc: USER_HZ, which Linux fixes at 100 for user space programs. */
export const TICKS = 100

/** @throws {Error} with a sentence when there is no /proc */
export function requireLinux(what: string): void {
  if (process.platform !== 'linux')
    throw new Error(`${what} are read from /proc, which only Linux has; this machine runs ${process.platform}.`)
}

/**
 * A file of /proc or /sys, or null when it is missing, unreadable or gone. They are generated in memory, so reading
 * never waits for a disk.
 */
export function readKernelFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** Parses lines `Name:  123 kB` to bytes (or plain numbers without a unit). */
export function readKernelTable(path: string): Map<string, number> {
  const values = new Map<string, number>()
  for (const line of (readKernelFile(path) ?? '').split('\n')) {
    const match = /^([^:]+):\s+(\d+)( kB)?/.exec(line)
    if (match) values.set(match[1] ?? '', Number(match[2]) * (match[3] === undefined ? 1 : 1024))
  }
  return values
}

/**
 * Calls `visit` for each item and yields to the event loop every 64 items, so that thousands of processes don't stall
 * other requests.
 */
export async function visitAll<T>(items: readonly T[], visit: (item: T) => void, signal: AbortSignal): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index % 64 === 63) {
      await setImmediate()
      signal.throwIfAborted()
    }
    visit(item)
  }
}
