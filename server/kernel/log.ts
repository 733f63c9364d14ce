import { pino, type Logger } from 'pino'

export type Log = Logger

/** Names of fields that may hold a secret wherever they appear in a log line. */
const SECRET_FIELDS = ['password', 'token', 'secret', 'api_key', 'authorization', 'cookie', 'csrf_token']
const LEVELS: Record<string, string> = { info: 'info ', warn: 'warn ', error: 'ERROR', fatal: 'FATAL' }

/**
 * One line per event on standard output: JSON for programs, a readable line at a terminal. Each part of the service
 * logs with its own `part`.
 */
export function openLog(level: string): Log {
  const options = {
    level,
    base: null,
    // Levels as words: people and journalctl read them, and collectors accept them as they are.
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: '[redacted]' },
  }
  return process.stdout.isTTY ? pino(options, { write: (line) => process.stdout.write(readable(line)) }) : pino(options)
}

function readable(line: string): string {
  const { level, time, part, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown> & {
    level: string
    time: string
  }
  const rest = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const words = [
    time.slice(11, 19),
    LEVELS[level] ?? level,
    part === undefined ? '' : `[${part as string}]`,
    String(msg),
    ...rest,
  ]
  const stack = err === undefined ? '' : `\n${(err as { stack?: string }).stack ?? JSON.stringify(err)}`
  return `${words.filter(Boolean).join(' ')}${stack}\n`
}
