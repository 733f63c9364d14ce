/** The two methods of a pino logger that the host needs. */
export interface HostLog {
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
}
