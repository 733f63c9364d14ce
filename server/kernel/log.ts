import { pino, type Logger } from 'pino'

export type Log = Logger

/** Names of fields that may hold a secret wherever they appear in a log line. */
const SECRET_FIELDS = ['password', 'token', 'secret', 'api_key', 'authorization', 'cookie', 'csrf_token']

/** One JSON line per event on standard output. Each part of the service logs with its own `part`. */
export function openLog(level: string): Log {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: '[redacted]' },
  })
}
