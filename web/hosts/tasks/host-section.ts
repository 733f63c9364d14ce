import type { Host } from '../hosts-query.ts'

/** What every section of a machine's page gets. */
export interface HostSectionProps {
  readonly host: Host
}
