import { mkdirSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, normalize } from 'node:path'
import type { Capabilities } from '../../../contract/modules.ts'
import type { Log } from '../../kernel/log.ts'
import { visible } from '../../kernel/text.ts'
import type { Launch } from '../launch.ts'
import type { ModuleLink } from '../module-link.ts'
import { isolatedCommand, plainCommand, type ModuleCommand } from './module-command.ts'
import type { Findings } from './findings.ts'
import { chooseIsolation } from './isolation-ladder.ts'
import { openModuleProcess, type ModuleProcess } from './module-process.ts'
import { openNetworkProxy, type NetworkProxy } from './network-proxy.ts'
import type { ParentWatch } from './parent-watch.ts'
import type { ProcessLimits } from './process-limits.ts'
import { resolveProgram } from './resolve-program.ts'
import { TEMPORARY_PREFIX, writePidFile } from './stale-processes.ts'
import type { Watchdog } from './watchdog.ts'

export interface Surroundings {
  readonly findings: Findings
  readonly watchdog: Watchdog
  readonly parentWatch: ParentWatch
  /** Folder for pid files. */
  readonly pids: string | null
  /** Folders that no module sees. */
  readonly hidden: readonly string[]
  readonly log: Pick<Log, 'info' | 'warn'>
}

/** Starts one module with the best isolation that there is. Rejects with a sentence; then nothing of it is left. */
export async function startModule(
  { findings, watchdog, parentWatch, pids, hidden, log }: Surroundings,
  launch: Launch,
  grants: Capabilities,
  limits: ProcessLimits,
  signal: AbortSignal,
): Promise<ModuleLink> {
  signal.throwIfAborted()
  refuseFolders(grants)
  const isolation = chooseIsolation(findings, launch, grants)
  const program = resolveProgram(launch, findings)
  const folder = makeFolders(launch)
  const temporary = join(folder, 'tmp')
  let link: ModuleProcess | null = null
  let proxy: NetworkProxy | null = null
  const undo: (() => void | Promise<void>)[] = [
    () => rm(folder, { recursive: true, force: true }),
    () => proxy?.close(),
  ]
  const cleanUp = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) {
      try {
        await step()
      } catch (error) {
        log.warn({ err: error }, 'something of a module that ended could not be cleaned up')
      }
    }
  }
  try {
    const wanted = { launch, grants, limits, program, temporary, hidden }
    let command: ModuleCommand
    if (isolation.level === 'isolated') {
      let socketFolder: string | null = null
      if (Array.isArray(grants.network) && grants.network.length > 0) {
        socketFolder = join(folder, 'net')
        proxy = await openNetworkProxy(join(socketFolder, 'proxy.sock'), grants.network)
      }
      command = isolatedCommand(findings, wanted, socketFolder)
    } else {
      command = plainCommand(findings, wanted, isolation.level)
    }
    link = await openModuleProcess(command, {
      isolation,
      limits,
      home: launch.dataFolder,
      temporary,
      watchdog,
      cleanUp,
    })
    const { root } = link
    // At `isolated` the processes end with bubblewrap, and that with us.
    if (isolation.level !== 'isolated') undo.push(parentWatch.guard(root))
    if (pids !== null) {
      const file = writePidFile(pids, basename(launch.dataFolder) || 'module', root)
      undo.push(() => rm(file, { force: true }))
    }
    signal.throwIfAborted()
    return link
  } catch (error) {
    await (link === null ? cleanUp() : link.close())
    throw error
  }
}

/** Through these, a module would get at the processes and the devices of the machine. */
function refuseFolders(grants: Capabilities): void {
  const refused = grants.folders.find(({ path }) => /^\/*(?:$|(?:proc|sys|dev)(?:\/|$))/.test(normalize(path)))
  if (refused !== undefined) throw new Error(`The folder ${visible(refused.path)} cannot be given to a module.`)
}

/** Its own folder, and one with `tmp` and `net` in it that is gone when it is; returns that. */
function makeFolders(launch: Launch): string {
  try {
    mkdirSync(launch.dataFolder, { recursive: true, mode: 0o700 })
    const folder = mkdtempSync(join(tmpdir(), TEMPORARY_PREFIX))
    for (const name of ['tmp', 'net']) mkdirSync(join(folder, name), { mode: 0o700 })
    return folder
  } catch (error) {
    throw new Error('The folders of the module cannot be made: is the disk full?', { cause: error })
  }
}
