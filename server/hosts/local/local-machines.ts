import type { CommandWatch } from '../../modules/process/command-watch.ts'
import { LOCAL_MACHINE, type Machine, type Machines } from '../../modules/machines.ts'

/** This machine alone. Its code is loaded with the first call that is about it. */
export function localMachines(commands: Pick<CommandWatch, 'watch'> | null): Machines {
  let machine: Promise<Machine> | null = null
  const load = async (): Promise<Machine> => {
    const { localMachine } = await import('./local-machine.ts')
    return localMachine(commands)
  }
  return { get: (host_id) => (host_id === LOCAL_MACHINE ? (machine ??= load()) : Promise.resolve(null)) }
}
