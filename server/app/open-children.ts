import { join } from 'node:path'
import type { Config } from './config.ts'
import type { Log } from '../kernel/log.ts'
import { CommandWatch } from '../modules/process/command-watch.ts'
import { ParentWatch } from '../modules/process/parent-watch.ts'
import { openSandbox } from '../modules/process/sandbox.ts'
import type { Machine } from '../sandbox/machine.ts'

/** What starts processes for modules and commands, and sees to it that none outlives this one. */
export async function openChildren(
  config: Pick<Config, 'dataFolder' | 'moduleData'>,
  of: { readonly opened: AsyncDisposableStack; readonly log: Log; readonly machine: Machine; readonly folder: string },
) {
  const { opened, log, machine, folder } = of
  const node = process.execPath
  const parentWatch = opened.use(new ParentWatch(node, log))
  const commands = await CommandWatch.open({ folder: join(folder, 'commands'), parentWatch, log })
  const hidden = [config.dataFolder, ...(config.moduleData === null ? [] : [config.moduleData])]
  const sandbox = await openSandbox({ log, node, machine, parentWatch, pids: join(folder, 'processes'), hidden })
  return { commands, sandbox: opened.use(sandbox) }
}
