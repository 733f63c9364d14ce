import type { ModuleRuns } from '../../../../contract/modules.ts'
import { type PackedSentence, Sentence } from '../../../kernel/sentence.ts'
import { iso, isoOrNull } from '../../../kernel/time.ts'
import type { OwnerRow } from '../../ownership/owner-rows.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { declaredInstances, instancesOf } from '../module-terms.ts'
import type { ModuleRecord } from './module-record.ts'

/** Where a bundle runs, and what is kept of its data; null for any other module, and where there is one process. */
export function moduleRuns(context: CatalogueContext, record: ModuleRecord, language: string): ModuleRuns | null {
  const { shared } = context
  if (record.kind !== 'bundle' || shared === null) return null
  const place = shared.place(record.name)
  const row = place?.row
  return {
    instances: instancesOf(record),
    declared: declaredInstances(record),
    chosen: record.instances,
    owner:
      row === undefined || row.owner === null || row.over
        ? null
        : { here: place?.here === true, host: row.host ?? '', since: iso(row.since) },
    data: place !== null && shared.data.isKept ? keptOf(row, language) : null,
  }
}

function keptOf(row: OwnerRow | undefined, language: string): ModuleRuns['data'] {
  const problem = row?.data_problem ?? null
  return {
    kept_at: isoOrNull(row?.data_at ?? null),
    size: row?.data_size ?? null,
    problem: problem === null ? null : Sentence.unpack(JSON.parse(problem) as PackedSentence).in(language),
  }
}
