import { HostFacts } from '../../contract/hosts.ts'
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

/** What is kept of a machine: what is shown, and which of its boots that was. */
type KeptFacts = HostFacts & { readonly boot_id?: string | null }

/** As they are stored. */
export function keptFacts(facts: MachineFacts): string {
  return JSON.stringify({ ...toFacts(facts), boot_id: facts.boot_id } satisfies KeptFacts)
}

/** What is shown of stored ones. */
export function shownFacts(kept: string): HostFacts {
  const { boot_id: _, ...facts } = JSON.parse(kept) as KeptFacts
  return HostFacts.parse(facts)
}

/** Whether the machine has been started anew between the two; not where it doesn't say. */
export function isAnotherBoot(before: string | null, after: string | null): boolean {
  const [one, other] = [before, after].map((kept) => (kept === null ? null : (JSON.parse(kept) as KeptFacts).boot_id))
  return one != null && other != null && one !== other
}
