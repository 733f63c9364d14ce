import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Clock ticks since boot: together with the process id it identifies a process uniquely. */
  readonly started: string
  readonly name: string
  /** It has ended, but its parent has not collected its exit code yet. */
  readonly zombie: boolean
}

/** All visible processes of this machine by id. Empty without /proc. */
export function readProcessTable(): Map<number, ProcessRow> {
  const table = new Map<number, ProcessRow>()
  let names: string[]
  try {
    names = readdirSync('/proc')
  } catch {
    return table
  }
  for (const name of names) {
    const first = name.charCodeAt(0)
    if (first < 0x31 || first > 0x39) continue
    const row = readProcess(Number(name))
    if (row !== null) table.set(row.pid, row)
  }
  return table
}

/** One process, or null when it is gone. */
export function readProcess(pid: number): ProcessRow | null {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return null
  }
  // The name is in parentheses and may contain any character, so the fields begin after the last parenthesis.
  const end = text.lastIndexOf(')')
  const fields = text.slice(end + 2).split(' ')
  return {
    pid,
    name: text.slice(text.indexOf('(') + 1, end),
    zombie: fields[0] === 'Z' || fields[0] === 'X',
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    started: fields[19] ?? '',
  }
}
