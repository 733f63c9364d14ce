import type { Each, EachWanted } from '../../../server/modules/machines.ts'
import { countOf, TICKS } from './kernel-texts.ts'

export const PROCESSES = '/proc'
const COMMAND_MAX = 4000
/** Characters that are looked at: at the end, a command line may have any number of NULs. */
const COMMAND_READ = 2 * COMMAND_MAX
/** Of every process: what it is, and what it has used so far, which is cheaper. */
export const PROCESS_FILES: EachWanted = { numbers: true, files: ['stat', 'status', 'cmdline'], max: 4096 }
export const PROCESS_STAT: EachWanted = { numbers: true, files: ['stat'], max: 4096 }

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
  /** Start time in epoch milliseconds by the machine's clock, precise to a second. */
  readonly started: number
}

/** `boot` is in epoch milliseconds. Null for a process that ended while it was read. */
export function parseProcess({ name: number, files }: Pick<Each, 'name' | 'files'>, boot: number): ProcessEntry | null {
  const stat = parseStat(files['stat'])
  if (stat === null) return null
  const status = files['status'] ?? ''
  const command = (files['cmdline'] ?? '').slice(0, COMMAND_READ).replace(/\0+$/, '').replaceAll('\0', ' ')
  const { name, fields } = stat
  return {
    pid: Number(number),
    parent: countOf(fields[1]),
    uid: Number(/^Uid:\s{1,20}\d{1,15}\s{1,20}(\d{1,15})/m.exec(status)?.[1] ?? -1),
    name,
    command: command === '' ? `[${name}]` : command.slice(0, COMMAND_MAX),
    state: fields[0] || '?',
    threads: countOf(fields[17]),
    memory: countOf(/^VmRSS:\s{1,20}(\d{1,15})/m.exec(status)?.[1]) * 1024,
    ticks: countOf(fields[11]) + countOf(fields[12]),
    started: boot + Math.floor(countOf(fields[19]) / TICKS) * 1000,
  }
}

/** CPU ticks used by each process so far, by its number. */
export function parseTicks(directories: readonly Each[]): Map<number, number> {
  return new Map(
    directories.flatMap(({ name, files }) => {
      const stat = parseStat(files['stat'])
      return stat === null ? [] : [[Number(name), countOf(stat.fields[11]) + countOf(stat.fields[12])]]
    }),
  )
}

/**
 * The name may contain spaces and parentheses, so the fields begin after the last parenthesis. Field 0 is the state.
 */
function parseStat(text: string | undefined): { name: string; fields: string[] } | null {
  const end = text?.lastIndexOf(')') ?? -1
  if (text === undefined || end === -1) return null
  return {
    name: text.slice(text.indexOf('(') + 1, end),
    fields: text
      .slice(end + 2)
      .trim()
      .split(' '),
  }
}
