/** What this folder needs from the log; a pino logger fits. */
export interface HttpLog {
  error(fields: object, message: string): void
  debug(fields: object, message: string): void
  isLevelEnabled(level: string): boolean
}
