import type { HostFacts } from '../../contract/hosts.ts'
import type { MachineFacts } from '../modules/machines.ts'

/** What is shown and kept of what a machine has told about itself. */
export function toFacts(facts: MachineFacts): HostFacts {
  const { os_release, system, release, architecture, clock, account, host_name, cores, init } = facts
  const { package_manager, elevation, busybox } = facts
  return {
    system: os_release['PRETTY_NAME'] ?? system,
    kernel: `${system} ${release} ${architecture}`,
    host_name,
    cores,
    init,
    package_manager,
    elevation,
    busybox,
    clock_offset_ms: Math.round(clock.offset_ms),
    time_zone: clock.time_zone,
    account: account.name,
  }
}
