import type { Machine } from '../../../server/modules/machines.ts'
import { isoTime } from '../linux/kernel-texts.ts'
import { askProgram } from './ask-program.ts'

const PRIORITIES = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'] as const
export type Priority = (typeof PRIORITIES)[number]
/** How many of the newest entries are searched when there is a filter. */
const SEARCH_LIMIT = 20_000
const MESSAGE_LIMIT = 2000

export interface JournalQuery {
  readonly lines: number
  readonly unit?: string | undefined
  readonly priority?: Priority | undefined
  readonly since?: Date | undefined
  readonly contains?: string | undefined
}

/**
 * The newest entries of the systemd journal that match, oldest first. Rejects with journalctl's own message when it
 * fails.
 */
export async function readJournal(machine: Machine, query: JournalQuery, signal: AbortSignal) {
  const args = [
    '--output=json',
    '--no-pager',
    '--quiet',
    `--lines=${query.contains === undefined ? query.lines : SEARCH_LIMIT}`,
  ]
  if (query.unit !== undefined) args.push(`--unit=${query.unit}`)
  if (query.priority !== undefined) args.push(`--priority=${query.priority}`)
  if (query.since !== undefined) args.push(`--since=@${Math.floor(query.since.getTime() / 1000)}`)
  args.push('--output-fields=PRIORITY,SYSLOG_IDENTIFIER,_SYSTEMD_UNIT,_PID,MESSAGE')
  const { code, stdout, stderr } = await askProgram(machine, ['journalctl', ...args], 20_000, signal)
  if (code !== 0) throw new Error(journalProblem(stderr, code))
  const wanted = query.contains?.toLowerCase()
  return parseJournal(stdout)
    .filter((entry) => wanted === undefined || entry.message.toLowerCase().includes(wanted))
    .slice(-query.lines)
}

/** Why journalctl did not read it, and what helps where its account may not. */
export function journalProblem(stderr: string, code: number | null): string {
  const problem = `journalctl failed: ${stderr.trim() || `exit code ${code}`}`
  return stderr.includes('insufficient permissions')
    ? `${problem} Put the account that Reeve works as there into the group systemd-journal, and restart what it runs.`
    : problem
}

/** Lines of `journalctl --output=json`; what isn't one is left out. */
export function parseJournal(text: string) {
  return text.split('\n').flatMap((line) => {
    const entry = parseEntry(line)
    if (entry === null) return []
    const field = (name: string) => (typeof entry[name] === 'string' ? entry[name] : '')
    return [
      {
        at: isoTime(Number(field('__REALTIME_TIMESTAMP') || NaN) / 1000),
        priority: PRIORITIES[Number(field('PRIORITY') || 6)] ?? 'info',
        source: field('SYSLOG_IDENTIFIER') || field('_SYSTEMD_UNIT'),
        pid: Number(field('_PID')) || null,
        message: messageText(entry['MESSAGE']).slice(0, MESSAGE_LIMIT),
      },
    ]
  })
}

function parseEntry(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return null
  }
}

/** A message that isn't plain UTF-8 arrives as an array of bytes, one that is too long as null. */
function messageText(message: unknown): string {
  if (typeof message === 'string') return message
  if (Array.isArray(message))
    return Buffer.from(message.filter((byte): byte is number => typeof byte === 'number')).toString()
  return '[too long for journalctl to show]'
}
