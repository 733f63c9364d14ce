import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, normalize } from 'node:path'
import type { Capabilities } from '../../../contract/modules.ts'
import type { Log } from '../../kernel/log.ts'
import { say } from '../../kernel/sentence.ts'
import { visible } from '../../kernel/text/plain-text.ts'
import type { Launch } from '../spec/launch.ts'
import type { ModuleLink } from '../spec/module-link.ts'
import { ModuleProblem } from '../spec/module-problem.ts'
import { type ControlGroup, type ControlGroups, inGroup } from './control-groups.ts'
import {
  HOSTS_FILE,
  isolatedCommand,
  plainCommand,
  PROXY_PORT,
  SOCKET_FILE,
  type ModuleCommand,
  type WayOut,
} from './module-command.ts'
import type { Findings } from '../../sandbox/findings.ts'
import { chooseIsolation } from './isolation-ladder.ts'
import { openModuleProcess, type ModuleProcess } from './module-process.ts'
import { openNetworkProxy, type NetworkProxy } from './network-proxy.ts'
import { hostsFile, tunnelsTo } from './network-tunnels.ts'
import type { ParentWatch } from './parent-watch.ts'
import type { ProcessLimits } from './process-limits.ts'
import type { TreeRoot } from './process-tree.ts'
import { resolveProgram } from './resolve-program.ts'
import { temporaryPrefix, writePidFile } from './stale-processes.ts'
import type { Watchdog } from './watchdog.ts'

export interface Surroundings {
  readonly findings: Findings
  readonly watchdog: Watchdog
  readonly parentWatch: ParentWatch
  /** The control groups, where the kernel can limit what a module uses; else why it cannot, for the log. */
  readonly groups: ControlGroups | string
  /** Folder for pid files. */
  readonly pids: string | null
  /** Folders that no module sees. */
  readonly hidden: readonly string[]
  readonly log: Pick<Log, 'info' | 'warn'>
}

/**
 * Starts one module with the best isolation available. When it fails, nothing of it is left.
 * @throws {ModuleProblem}
 */
export async function startModule(
  { findings, watchdog, parentWatch, groups, pids, hidden, log }: Surroundings,
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
      let wayOut: WayOut | null = null
      if (Array.isArray(grants.network) && grants.network.length > 0) {
        wayOut = { folder: join(folder, 'net'), tunnels: tunnelsTo(grants.network, PROXY_PORT) }
        writeFileSync(join(wayOut.folder, HOSTS_FILE), hostsFile(wayOut.tunnels))
        proxy = await openNetworkProxy(join(wayOut.folder, SOCKET_FILE), grants.network)
      }
      command = isolatedCommand(findings, wanted, wayOut)
    } else {
      command = plainCommand(findings, wanted, isolation.level)
    }
    const group = openGroup(groups, basename(launch.dataFolder) || 'module', limits, log)
    if (group !== null) {
      undo.push(() => group.remove())
      command = { ...command, command: inGroup(group, command.command) }
    }
    link = await openModuleProcess(command, {
      group,
      isolation,
      limits,
      home: launch.dataFolder,
      temporary,
      watchdog,
      cleanUp,
    })
    const { root } = link
    // At `isolated` the processes end with bubblewrap, which ends with us.
    if (isolation.level !== 'isolated') undo.push(parentWatch.guard(root))
    if (pids !== null) {
      const file = writePidFile(pids, basename(launch.dataFolder) || 'module', root)
      undo.push(() => rm(file, { force: true }))
    }
    signal.throwIfAborted()
    return Object.assign(link, { until: fence(parentWatch, root, isolation.level === 'isolated', undo) })
  } catch (error) {
    await (link === null ? cleanUp() : link.close())
    throw error
  }
}

/** What has the module ended at some time. Only then is one that ends with us guarded as well. */
function fence(watch: ParentWatch, root: TreeRoot, unguarded: boolean, undo: (() => void)[]): (at: number) => void {
  let guarded = !unguarded
  let over = false
  undo.push(() => void (over = true))
  return (at) => {
    if (over) return
    if (!guarded) undo.push(watch.guard(root))
    guarded = true
    watch.until(root.pid, at)
  }
}

/** Null when there is none: the module then runs anyway, watched from outside. */
function openGroup(
  groups: ControlGroups | string,
  name: string,
  limits: ProcessLimits,
  log: Surroundings['log'],
): ControlGroup | null {
  if (typeof groups === 'string') return null
  try {
    return groups.make(name, limits.memory_bytes)
  } catch (error) {
    log.warn({ err: error, module: name }, 'no control group for a module')
    return null
  }
}

/** Through these folders a module could reach the machine's processes and devices. */
function refuseFolders(grants: Capabilities): void {
  const refused = grants.folders.find(({ path }) => /^\/*(?:$|(?:proc|sys|dev)(?:\/|$))/.test(normalize(path)))
  if (refused !== undefined)
    throw new ModuleProblem(say`The folder ${visible(refused.path)} cannot be given to a module.`)
}

/**
 * Makes the module's data folder, and a temporary one with `tmp` and `net` in it that is removed with the module;
 * returns the latter.
 */
function makeFolders(launch: Launch): string {
  try {
    mkdirSync(launch.dataFolder, { recursive: true, mode: 0o700 })
    const folder = mkdtempSync(join(tmpdir(), temporaryPrefix()))
    for (const name of ['tmp', 'net']) mkdirSync(join(folder, name), { mode: 0o700 })
    return folder
  } catch (error) {
    throw new ModuleProblem(say`The module’s folders cannot be created. Check the free space on the disk.`, {
      cause: error,
    })
  }
}
