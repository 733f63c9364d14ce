import { delimiter, isAbsolute } from 'node:path'
import { findFindings, findFindingsNow, type Findings } from './findings.ts'

/** What this machine offers for isolating processes, found out once on first use by trying it (about 0.1 s). */
export interface Machine {
  ready(): Promise<Findings>
  /** The same synchronously, blocking everything else. */
  now(): Findings
}

export interface MachineOptions {
  /** The Node that runs the isolated processes: `process.execPath`. */
  readonly node: string
  /** Name or path of bubblewrap. */
  readonly bwrap?: string | undefined
  /** Where to look for programs, in the form of PATH; the service's own PATH by default. */
  readonly path?: string
}

const ALWAYS = ['/usr/local/bin', '/usr/bin', '/bin']

export function openMachine(options: MachineOptions): Machine {
  const path = (options.path ?? process.env.PATH ?? '').split(delimiter).filter(isAbsolute)
  const programs = { node: options.node, bwrap: options.bwrap ?? 'bwrap', path: [...new Set([...path, ...ALWAYS])] }
  let found: Findings | null = null
  let finding: Promise<Findings> | null = null
  return {
    async ready() {
      finding ??= findFindings(programs)
      found ??= await finding
      return found
    },
    now: () => (found ??= findFindingsNow(programs)),
  }
}
