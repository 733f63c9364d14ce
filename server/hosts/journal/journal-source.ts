import type { Machine } from '../../modules/machines.ts'

/** One of them is there where systemd keeps a journal. */
const JOURNALS = ['/run/log/journal', '/var/log/journal']
const FILES = ['/var/log/syslog', '/var/log/messages']
/** Lines that were there before: told at once. */
export const BEFORE = 100
/** The same where a text is looked for. */
const SEARCHED = 2000

export interface LogFilter {
  readonly unit?: string | undefined
  readonly priority?: string | undefined
  readonly contains?: string | undefined
}

export interface LogSource {
  readonly argv: readonly [string, ...string[]]
  /** A file; null: the journal. */
  readonly path: string | null
}

/** What is followed on a machine; null: there is nothing that the account may read. Rejects with MachineUnreachable. */
export async function sourceOf(machine: Machine, filter: LogFilter, signal: AbortSignal): Promise<LogSource | null> {
  const lines = `--lines=${filter.contains === undefined ? BEFORE : SEARCHED}`
  for (const folder of JOURNALS) {
    const found = await machine.listDir(folder, { max: 1 }, signal)
    if (found === 'missing' || (Array.isArray(found) && found.length === 0)) continue
    const argv = ['journalctl', '--follow', '--output=json', '--no-pager', '--quiet', lines] as const
    const unit = filter.unit === undefined ? [] : [`--unit=${filter.unit}`]
    const priority = filter.priority === undefined ? [] : [`--priority=${filter.priority}`]
    const fields = '--output-fields=PRIORITY,SYSLOG_IDENTIFIER,_SYSTEMD_UNIT,MESSAGE'
    return { argv: [...argv, ...unit, ...priority, fields], path: null }
  }
  const read = await machine.readFiles(FILES, { max: 1 }, signal)
  const path = FILES.find((file) => typeof read.get(file) === 'object')
  return path === undefined ? null : { argv: ['tail', '-n', lines.slice('--lines='.length), '-F', path], path }
}
