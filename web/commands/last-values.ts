import { fits, type Variable } from '../../contract/variables.ts'
import { keepRecord, readRecord } from './stored-record.ts'

const KEY = 'reeve.commands.values'
/** Commands whose values are remembered; the ones that were run longest ago are forgotten. */
const KEPT = 100

/** What was given last for the variables of a command, as far as it still fits them. Kept in this browser alone. */
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
  // The last key is the newest.
  const entries = [...Object.entries(others), [commandId, Object.fromEntries(values)] as const]
  keepRecord(KEY, Object.fromEntries(entries.slice(-KEPT)))
}

/** A deleted command is gone with its values; one that is brought back under a new id has them again. */
export function moveValues(commandId: string, to: string | null): void {
  const { [commandId]: values, ...others } = readRecord(KEY)
  if (values !== undefined) keepRecord(KEY, to === null ? others : { ...others, [to]: values })
}
