import type { FileRead, Machine, MachineFacts } from '../../../server/modules/machines.ts'

/** Ticks per second in /proc: USER_HZ, which Linux fixes at 100 for user space programs. */
export const TICKS = 100
/** Bytes of a file: more than the tables of a large machine have, and no flood from a hostile one. */
const TEXT_MAX = 2 * 1024 * 1024

/** Texts that were read in one go. */
export interface KernelTexts {
  /** Null when the file is missing, unreadable or gone; this kernel may not have it. */
  text(path: string): string | null
  /** Without the spaces and line ends around it. */
  trimmed(path: string): string
  /** Whether anything has this path, be it a directory. */
  there(path: string): boolean
}

/** Reads files of /proc, /sys and /etc, at most `max` bytes of each. */
export async function readTexts(
  machine: Machine,
  paths: readonly string[],
  signal: AbortSignal,
  max = TEXT_MAX,
): Promise<KernelTexts> {
  return kernelTexts(await machine.readFiles(paths, { max }, signal))
}

function kernelTexts(read: ReadonlyMap<string, FileRead>): KernelTexts {
  const text = (path: string): string | null => {
    const file = read.get(path) ?? 'missing'
    return typeof file === 'string' ? null : file.bytes.toString()
  }
  return {
    text,
    trimmed: (path) => text(path)?.trim() ?? '',
    there(path) {
      const file = read.get(path) ?? 'missing'
      return typeof file !== 'string' || !['missing', 'denied', 'failed'].includes(file)
    },
  }
}

/** @throws {Error} with a sentence where there is no /proc */
export async function requireLinux(machine: Machine, what: string, signal: AbortSignal): Promise<MachineFacts> {
  const facts = await machine.facts(signal)
  if (facts.system !== 'Linux')
    throw new Error(`${what} are read from /proc, which only Linux has; this machine runs ${facts.system}.`)
  return facts
}

/** Characters of a line that are read: the number stands at its beginning. */
const LINE = 300

/** Lines `Name:  123 kB` as bytes, or as plain numbers without a unit. */
export function parseKernelTable(text: string | null): Map<string, number> {
  const values = new Map<string, number>()
  for (const line of (text ?? '').split('\n')) {
    const match = /^([^:]+):\s+(\d{1,15})( kB)?/.exec(line.slice(0, LINE))
    if (match) values.set(match[1] ?? '', Number(match[2]) * (match[3] === undefined ? 1 : 1024))
  }
  return values
}

/** ISO 8601 in UTC; null for what is no time. */
export function isoTime(epoch_ms: number): string | null {
  const date = new Date(epoch_ms)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

/** The number a text says; 0 for anything else. */
export function countOf(text: string | undefined): number {
  const value = Number(text ?? 0)
  return Number.isFinite(value) ? value : 0
}
