import type { ProcedureDetail, ProcedureVersion } from '../../contract/procedure-values.ts'
import type { ProcedureWork } from '../../contract/routine-values.ts'
import { textsOf, valuesOf } from '../procedures/value-fields.tsx'

/** The version that runs, where the reader may see it. */
export function versionOf(
  detail: ProcedureDetail | undefined,
  { version }: ProcedureWork,
): ProcedureVersion | undefined {
  return detail?.versions.find((one) => one.version === version)
}

/** What a routine does, and what it may use for that. */
export interface ScopedWork {
  readonly work: ProcedureWork
  readonly scope: readonly string[]
}

/**
 * The same with the version that was reviewed last, if that is a newer one: what it calls the same keeps its value, and the
 * tools of its steps are among what the routine may use.
 */
export function withNewest(detail: ProcedureDetail | undefined, { work, scope }: ScopedWork): ScopedWork | null {
  if (detail === undefined) return null
  const newest = detail.versions.find(({ version }) => version === detail.procedure.current_version)
  if (newest === undefined || newest.version <= work.version) return null
  const { version, params, steps } = newest
  const needed = steps.flatMap(({ module, tool }) =>
    scope.includes(`tool:${module}.*`) ? [] : [`tool:${module}.${tool}`],
  )
  return {
    work: { ...work, version, values: valuesOf(params, textsOf(params, detail.machines, work.values)) },
    scope: [...new Set([...scope, ...needed])],
  }
}
