import { readdirSync } from 'node:fs'
import { readKernelFile, TICKS, visitAll } from './proc.ts'

export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly uid: number
  /** The kernel's name for it, at most 15 characters. */
  readonly name: string
  /** Program and arguments; `[name]` for a kernel thread. */
  readonly command: string
  /** One letter as in ps: R S D T Z I. */
  readonly state: string
  readonly threads: number
  /** Resident memory in bytes. */
  readonly memory: number
  /** CPU time used so far, in ticks. */
  readonly ticks: number
  /** Start time in epoch milliseconds, precise to a second. */
  readonly started: number
}

/** Every process visible now. A process that ends during the reading is left out. */
export async function readProcesses(signal: AbortSignal): Promise<ProcessEntry[]> {
  const boot = readBootTime()
  const entries: ProcessEntry[] = []
  await visitAll(
    processIds(),
    (pid) => {
      const entry = readProcess(pid, boot)
      if (entry !== null) entries.push(entry)
    },
    signal,
  )
  return entries
}

export function processIds(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

/** Null when there is no such process. */
export function readProcess(pid: number, boot = readBootTime()): ProcessEntry | null {
  const stat = readStat(pid)
  if (stat === null) return null
  const status = readKernelFile(`/proc/${pid}/status`) ?? ''
  const command = (readKernelFile(`/proc/${pid}/cmdline`) ?? '').replace(/\0+$/, '').replaceAll('\0', ' ')
  const { name, fields } = stat
  return {
    pid,
    parent: Number(fields[1]),
    uid: Number(/^Uid:\s+\d+\s+(\d+)/m.exec(status)?.[1] ?? -1),
    name,
    command: command === '' ? `[${name}]` : command.slice(0, 4000),
    state: fields[0] ?? '?',
    threads: Number(fields[17]),
    memory: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024,
    ticks: Number(fields[11]) + Number(fields[12]),
    started: boot + Math.floor(Number(fields[19]) / TICKS) * 1000,
  }
}

/** CPU ticks used by each process so far, which is cheap to sample. */
export async function readProcessTicks(signal: AbortSignal): Promise<Map<number, number>> {
  const ticks = new Map<number, number>()
  await visitAll(
    processIds(),
    (pid) => {
      const stat = readStat(pid)
      if (stat !== null) ticks.set(pid, Number(stat.fields[11]) + Number(stat.fields[12]))
    },
    signal,
  )
  return ticks
}

/** Boot time of the kernel in epoch milliseconds. */
export function readBootTime(): number {
  return Number(/^btime (\d+)/m.exec(readKernelFile('/proc/stat') ?? '')?.[1] ?? 0) * 1000
}

/**
 * The name may contain spaces and parentheses, so the fields begin after the last parenthesis. Field 0 is the state.
 */
function readStat(pid: number): { name: string; fields: string[] } | null {
  const text = readKernelFile(`/proc/${pid}/stat`)
  if (text === null) return null
  const end = text.lastIndexOf(')')
  return {
    name: text.slice(text.indexOf('(') + 1, end),
    fields: text
      .slice(end + 2)
      .trim()
      .split(' '),
  }
}
