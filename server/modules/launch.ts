/** How the process of a module is started: variables are filled in, secrets are in `env` only. */
export interface Launch {
  readonly command: string
  readonly args: readonly string[]
  /** The whole of what the bundle sets; the process gets this, PATH, HOME, TMPDIR, LANG and nothing else. */
  readonly env: Readonly<Record<string, string>>
  /** The unpacked bundle, read-only for the module. */
  readonly bundleFolder: string
  /** The module's own folder, its HOME and its working directory: all it may write to without a grant. */
  readonly dataFolder: string
}
