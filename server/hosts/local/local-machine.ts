import os from 'node:os'
import { LOCAL_MACHINE, type Machine, type MachineFacts } from '../../modules/machines.ts'
import { localDoor } from '../reeve-op/door.ts'
import { askPlan } from '../reeve-op/ask-plan.ts'
import { operate, operationStatus } from '../reeve-op/operate.ts'
import { readLocalFacts } from './local-facts.ts'
import { listDirectory } from './list-directory.ts'
import { readEach } from './read-each.ts'
import { readFiles } from './read-files.ts'
import { type Commands, runGroup } from './run-group.ts'
import { readSpace } from './space.ts'
import { writeWhole } from './write-whole.ts'

/** The machine that this process runs on, with the rights of its user. Nothing is asked of it before it is used. */
export function localMachine(commands: Commands): Machine {
  let facts: MachineFacts | null = null
  return {
    id: LOCAL_MACHINE,
    name: LOCAL_MACHINE,
    async facts(signal) {
      signal.throwIfAborted()
      return (facts ??= readLocalFacts())
    },
    readFiles,
    readEach,
    listDir: listDirectory,
    space: readSpace,
    async addresses(signal) {
      signal.throwIfAborted()
      const all = Object.entries(os.networkInterfaces())
      return new Map(all.map(([name, each = []]) => [name, each.map(({ cidr, address }) => cidr ?? address)]))
    },
    run: (command, signal) => runGroup(command, commands, signal),
    write: writeWhole,
    operate: (operation, options, signal) => operate(localDoor(), operation, options, signal),
    plan: (wanted, signal) => askPlan(localDoor(), wanted, signal),
    operationStatus: (options, signal) => operationStatus(localDoor(), options, signal),
  }
}
