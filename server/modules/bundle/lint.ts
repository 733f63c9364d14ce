/** One thing that an author should know. `path` is where in the manifest, as `server.entry_point`. */
export interface Lint {
  readonly code: string
  /** `error`: strict readers, or this program, refuse it. */
  readonly level: 'error' | 'warn' | 'info'
  readonly message: string
  readonly path: string
}
