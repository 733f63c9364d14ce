/** One finding for the author of a bundle. `path` is a place in the manifest, such as `server.entry_point`. */
export interface Lint {
  readonly code: string
  /** `error`: strict readers or this program refuse it. */
  readonly level: 'error' | 'warn' | 'info'
  readonly message: string
  readonly path: string
}
