import type { Capabilities } from '../../../contract/modules.ts'
import type { Log } from '../../kernel/log.ts'
import type { Launch } from '../spec/launch.ts'
import type { FoundIsolation, ModuleLink } from '../spec/module-link.ts'
import { openMachine, type Machine, type MachineOptions } from '../../sandbox/machine.ts'
import { type ControlGroups, openControlGroups } from './control-groups.ts'
import { chooseIsolation, possibleLevels } from './isolation-ladder.ts'
import { ParentWatch } from './parent-watch.ts'
import { findSystemProgram } from './resolve-program.ts'
import type { ProcessLimits } from './process-limits.ts'
import { Watchdog } from './watchdog.ts'

/** Starts modules as separate processes, isolated as well as this machine can. */
export interface Sandbox extends AsyncDisposable {
  /** The levels that work here, best first; each reason also says why better ones do not work. */
  readonly levels: readonly FoundIsolation[]
  /**
   * Finds out once what works here by trying it (about 0.1 s). `levels` and `level` also do so, but block meanwhile.
   */
  ready(): Promise<void>
  /** Path of the program that `start` would find by this name; null if there is none. */
  program(name: string): Promise<string | null>
  /** The isolation that `start` would use. */
  level(launch: Launch, grants: Capabilities): FoundIsolation
  /**
   * Starts the process; resolves as soon as it exists. `signal` aborts the start and has no effect afterwards.
   * @throws {ModuleProblem} when there is no such program, for example
   */
  start(launch: Launch, grants: Capabilities, limits: ProcessLimits, signal: AbortSignal): Promise<ModuleLink>
}

export interface SandboxOptions extends MachineOptions {
  readonly log: Pick<Log, 'info' | 'warn'>
  /** The service's, to share it; otherwise the sandbox creates its own. */
  readonly parentWatch?: ParentWatch
  /** If what works here is already known; `bwrap` and `path` are then ignored. */
  readonly machine?: Machine
  /** Folder for the pid files that `sweepStale` reads at the next start; without it none are written. */
  readonly pids?: string
  /** Folders of the service that no sandbox shows, even inside one that it shows: its data if that is below /usr. */
  readonly hidden?: readonly string[]
  /** Where the control groups of the machine are mounted. */
  readonly groups?: string
}

/** Opens at once: what works here is determined on first use. Disposing stops every module that it started. */
export function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const machine = options.machine ?? openMachine(options)
  const links = new Set<ModuleLink>()
  const watchdog = new Watchdog(options.log)
  const parentWatch = options.parentWatch ?? new ParentWatch(options.node, options.log)
  let groups: ControlGroups | string | null = null

  function controlGroups(): ControlGroups | string {
    if (groups !== null) return groups
    groups = openControlGroups(options.groups)
    if (typeof groups === 'string') options.log.info({ why: groups }, 'memory of modules is watched from outside')
    return groups
  }

  return Promise.resolve({
    get levels() {
      return possibleLevels(machine.now())
    },
    async ready() {
      await machine.ready()
    },
    program: async (name) => findSystemProgram((await machine.ready()).path, name),
    level: (launch, grants) => chooseIsolation(machine.now(), launch, grants),
    async start(launch, grants, limits, signal) {
      const { startModule } = await import('./start-module.ts')
      const link = await startModule(
        {
          findings: await machine.ready(),
          watchdog,
          parentWatch,
          groups: controlGroups(),
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
      if (options.parentWatch === undefined) parentWatch[Symbol.dispose]()
    },
  })
}
