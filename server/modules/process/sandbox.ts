import { delimiter, isAbsolute } from 'node:path'
import type { Capabilities, Isolation } from '../../../contract/modules.ts'
import type { Log } from '../../kernel/log.ts'
import type { Launch } from '../launch.ts'
import type { ModuleLink } from '../module-link.ts'
import { findFindings, findFindingsNow, type Findings } from './findings.ts'
import { chooseIsolation, possibleLevels } from './isolation-ladder.ts'
import { ParentWatch } from './parent-watch.ts'
import type { ProcessLimits } from './process-limits.ts'
import { startModule } from './start-module.ts'
import { Watchdog } from './watchdog.ts'

/** Starts modules as processes of their own, kept apart as well as this machine can. */
export interface Sandbox extends AsyncDisposable {
  /** What works here, best first; each reason also says why the better ones do not work. */
  readonly levels: readonly Isolation[]
  /** Finds out what works here, once, by running it (about 0.1 s). `levels` and `level` do it themselves, but block meanwhile. */
  ready(): Promise<void>
  /** What `start` would use, without starting. */
  level(launch: Launch, grants: Capabilities): Isolation
  /**
   * Starts the process; resolves as soon as it exists. `signal` gives up the start; later it has no meaning.
   * Rejects with a sentence when there is no such program.
   */
  start(launch: Launch, grants: Capabilities, limits: ProcessLimits, signal: AbortSignal): Promise<ModuleLink>
}

export interface SandboxOptions {
  readonly log: Pick<Log, 'info' | 'warn'>
  /** The Node that runs modules: `process.execPath`. */
  readonly node: string
  /** Folder for the pid files that `sweepStale` reads at the next start; none are written without it. */
  readonly pids?: string
  /** Folders of the service that no sandbox shows, even where they are in one that it shows: its data, below /usr. */
  readonly hidden?: readonly string[]
  /** The program bubblewrap, by name or path. */
  readonly bwrap?: string
  /** Where programs are looked for, as in the variable PATH; that of the service when it is not given. */
  readonly path?: string
}

const ALWAYS = ['/usr/local/bin', '/usr/bin', '/bin']

/** Opens at once: what works here is found out when it is first asked for. Disposing stops every module that it started. */
export function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const path = (options.path ?? process.env.PATH ?? '').split(delimiter).filter(isAbsolute)
  const programs = { node: options.node, bwrap: options.bwrap ?? 'bwrap', path: [...new Set([...path, ...ALWAYS])] }
  const links = new Set<ModuleLink>()
  const watchdog = new Watchdog(options.log)
  const parentWatch = new ParentWatch(options.node, options.log)
  let found: Findings | null = null
  let finding: Promise<Findings> | null = null

  const now = (): Findings => (found ??= findFindingsNow(programs))
  const ready = async (): Promise<Findings> => {
    finding ??= findFindings(programs)
    found ??= await finding
    return found
  }

  return Promise.resolve({
    get levels() {
      return possibleLevels(now())
    },
    async ready() {
      await ready()
    },
    level: (launch, grants) => chooseIsolation(now(), launch, grants),
    async start(launch, grants, limits, signal) {
      const link = await startModule(
        {
          findings: await ready(),
          watchdog,
          parentWatch,
          pids: options.pids ?? null,
          hidden: options.hidden ?? [],
          log: options.log,
        },
        launch,
        grants,
        limits,
        signal,
      )
      links.add(link)
      void link.gone.then(() => links.delete(link))
      return link
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...links].map((link) => link.close()))
      watchdog.stop()
      parentWatch.close()
    },
  })
}
