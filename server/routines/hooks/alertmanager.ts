import { z } from 'zod'
import { hashOf } from '../../kernel/text/canonical.ts'

const Labels = z.record(z.string(), z.string())

/** A notification of Alertmanager, of which only this much is relied on; the rest reaches the run as it is. */
export const AlertGroup = z.looseObject({
  groupKey: z.string().min(1).max(10_000),
  status: z.enum(['firing', 'resolved']),
  commonLabels: Labels.default({}),
  alerts: z
    .array(
      z.looseObject({ fingerprint: z.string().max(200), startsAt: z.string().max(100), labels: Labels.default({}) }),
    )
    .min(1)
    .max(10_000),
})
export type AlertGroup = z.infer<typeof AlertGroup>

/** The same for every repetition: the same group, in the same state, of the same alerts that began at the same times. */
export function keyOfGroup({ groupKey, status, alerts }: AlertGroup): string {
  const members = alerts.map(({ fingerprint, startsAt }) => `${fingerprint} ${startsAt}`).toSorted()
  return hashOf({ groupKey, status, members })
}
