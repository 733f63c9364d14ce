import type { Capabilities } from '../../../contract/modules.ts'

/** How the process of a module is started, with variables filled in and secrets only in `env`. */
export interface Launch {
  readonly command: string
  readonly args: readonly string[]
  /** All variables that the bundle sets; the process gets these plus PATH, HOME, TMPDIR and LANG, and nothing else. */
  readonly env: Readonly<Record<string, string>>
  /** The unpacked bundle, read-only for the module. */
  readonly bundleFolder: string
  /** The module's data folder, its HOME and working directory: the only place it may write to without a grant. */
  readonly dataFolder: string
  /** What is said of the hosts that it may reach, where some come from secrets; else they are said as they are. */
  readonly saidNetwork?: Capabilities['network']
}
