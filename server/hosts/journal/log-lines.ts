import { stripVTControlCharacters } from 'node:util'
import type { LogLine } from '../../../contract/host-journal.ts'
import { JOURNAL_LIMITS, LOG_PRIORITIES } from '../../../contract/journal-values.ts'

/** Of one line as a program prints it, with all that is not shown. */
const MOST_CHARACTERS = 256 * 1024

/** Cuts what arrives in pieces into lines. What is longer than can be is cut, and the rest of it dropped. */
export class LineCutter {
  #rest = ''
  #dropping = false

  take(text: string): string[] {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop()!
    if (this.#dropping && lines.length > 0) {
      lines.shift()
      this.#dropping = false
    }
    if (this.#rest.length > MOST_CHARACTERS || this.#dropping) {
      this.#rest = ''
      this.#dropping = true
    }
    return lines
  }
}

/** A line of `journalctl --output=json`; null when it is none. */
export function journalLine(line: string): LogLine | null {
  let entry: Record<string, unknown>
  try {
    entry = JSON.parse(line) as Record<string, unknown>
  } catch {
    return null
  }
  if (typeof entry !== 'object' || entry === null) return null
  const field = (name: string): string => (typeof entry[name] === 'string' ? entry[name] : '')
  const at = Number(field('__REALTIME_TIMESTAMP') || NaN) / 1000
  return {
    at: at >= 0 && at < 8.64e15 ? new Date(at).toISOString() : null,
    priority: LOG_PRIORITIES[Number(field('PRIORITY') || 6)] ?? null,
    source: plain(field('SYSLOG_IDENTIFIER') || field('_SYSTEMD_UNIT')).slice(0, 100),
    text: plain(messageOf(entry['MESSAGE'])),
  }
}

/** A line of a file. */
export function fileLine(line: string): LogLine {
  return { at: null, priority: null, source: '', text: plain(line) }
}

/** What is not UTF-8 comes as an array of bytes, what is too long as null. */
function messageOf(message: unknown): string {
  if (typeof message === 'string') return message
  if (!Array.isArray(message)) return '…'
  const bytes = message.slice(0, 4 * JOURNAL_LIMITS.line)
  return Buffer.from(bytes.filter((byte): byte is number => typeof byte === 'number')).toString()
}

/** Without what would move the cursor of a terminal, or turn the direction of a text; tabs stay. */
function plain(text: string): string {
  const cut = text.length > JOURNAL_LIMITS.line ? `${text.slice(0, JOURNAL_LIMITS.line - 1)}…` : text
  return stripVTControlCharacters(cut)
    .replaceAll(/[^\P{Cc}\t]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\u{fffd}')
    .toWellFormed()
}
