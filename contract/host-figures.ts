import { z } from 'zod'
import { HostState } from './hosts.ts'
import { json, route } from './route.ts'
import { Id, Timestamp } from './values.ts'

const Share = z.strictObject({ used: z.number(), total: z.number() })

/** How busy and how full a machine is. Null is what it cannot tell, as outside Linux. */
export const HostFigures = z.strictObject({
  /** Processes that wanted to run, the mean of a minute. */
  load: z.number().nullable(),
  cores: z.int().nullable(),
  /** Bytes. */
  memory: Share.nullable(),
  /** The fullest file system on a disk, in bytes. */
  disk: Share.extend({ path: z.string() }).nullable(),
  /** Null where systemd does not manage the machine. */
  failed_services: z.int().nullable(),
  /** An update waits for a restart. */
  restart_pending: z.boolean(),
  at: Timestamp,
})
export type HostFigures = z.infer<typeof HostFigures>

export const HostSummary = z.strictObject({
  host_id: Id,
  name: z.string(),
  disabled: z.boolean(),
  /** As `Host.state`, and newer where the last look says so. */
  state: HostState.nullable(),
  /** What went wrong, in the words of whoever noticed. */
  problem: z.string().nullable(),
  /** Of the last look that succeeded; null: none has yet. */
  figures: HostFigures.nullable(),
  /** It is being looked at for the first time. */
  looking: z.boolean(),
})
export type HostSummary = z.infer<typeof HostSummary>

/** All machines at a glance. */
export const hostFigures = {
  hostFigures: route({
    method: 'GET',
    path: '/api/hosts/figures',
    summary:
      'The machines that I may use, with figures at most 30 seconds old while somebody asks. Answers at once with what is known; alone, the machine that Reeve runs on is not looked at',
    access: 'session',
    response: json(z.strictObject({ items: z.array(HostSummary) })),
    errors: [],
  }),
}
