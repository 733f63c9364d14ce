import { fits, type Variable } from '../../contract/variables.ts'
import { keepRecord, readRecord } from './stored-record.ts'

const KEY = 'reeve.commands.values'
/** Number of commands whose values are remembered; those run longest ago are dropped. */
const KEPT = 100

/** The last values for a command's variables, as far as they still fit. Kept only in this browser. */
export function lastValues(commandId: string, variables: readonly Variable[]): Map<string, string> {
  const stored = readRecord(KEY)[commandId]
  const known = typeof stored === 'object' && stored !== null ? (stored as Record<string, unknown>) : {}
  return new Map(
    variables.map((variable) => {
      const value = Object.hasOwn(known, variable.name) ? known[variable.name] : undefined
      return [variable.name, typeof value === 'string' && fits(variable, value) ? value : '']
    }),
  )
}

export function keepValues(commandId: string, values: ReadonlyMap<string, string>): void {
  const { [commandId]: _, ...others } = readRecord(KEY)
  // The last key is the most recent.
  const entries = [...Object.entries(others), [commandId, Object.fromEntries(values)] as const]
  keepRecord(KEY, Object.fromEntries(entries.slice(-KEPT)))
}

/** Values are deleted with a command; one restored under a new id gets them back. */
export function moveValues(commandId: string, to: string | null): void {
  const { [commandId]: values, ...others } = readRecord(KEY)
  if (values !== undefined) keepRecord(KEY, to === null ? others : { ...others, [to]: values })
}
