import type { RoutineWork } from '../../contract/routine-values.ts'
import type { RoutineTable } from '../db/rows/routine-tables.ts'
import { fold, storable } from '../kernel/text/plain-text.ts'

/** What somebody has written, as columns. */

export function nameColumns(text: string): { name: string; name_folded: string } {
  const name = storable(text.trim())
  return { name, name_folded: fold(name) }
}

export function workColumns(work: RoutineWork) {
  const none = { text: '', engine_id: null, model: null }
  const nothing = { procedure_id: null, procedure_version: null, procedure_values: null }
  if (work.kind === 'text') {
    const { engine_id = null, model = null } = work.engine ?? {}
    return { ...nothing, kind: work.kind, text: storable(work.text), engine_id, model }
  }
  const { kind, procedure_id, version, values } = work
  return { ...none, kind, procedure_id, procedure_version: version, procedure_values: JSON.stringify(values) }
}

export function scopeText(scope: readonly string[]): string {
  return JSON.stringify([...new Set(scope)].toSorted())
}

/** What the audit log says of a routine: not its message. */
export function about(
  row: Pick<RoutineTable, 'name' | 'kind' | 'cron' | 'zone' | 'scope' | 'report'>,
): Record<string, unknown> {
  const { name, kind, cron, zone, scope, report } = row
  const schedule = cron === null ? null : `${cron} ${zone}`
  return { name, kind, schedule, scope: JSON.parse(scope) as string[], report: report === 1 }
}
