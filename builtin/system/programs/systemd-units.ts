import { isoTime } from '../linux/kernel-texts.ts'

/** Properties asked of `systemctl show`, in no particular order of its answer. */
export const UNIT_PROPERTIES = [
  'Id',
  'Description',
  'LoadState',
  'ActiveState',
  'SubState',
  'UnitFileState',
  'Result',
  'MainPID',
  'MemoryCurrent',
  'ActiveEnterTimestampMonotonic',
] as const

export interface Unit {
  readonly unit: string
  readonly description: string
  /** `active`, `failed`, `inactive`, `activating` … */
  readonly state: string
  readonly detail: string
  /** `enabled`, `disabled`, `static` … */
  readonly at_boot: string
  readonly pid: number | null
  /** Bytes; null when not counted. */
  readonly memory: number | null
  /** When it became active, in ISO 8601; null when it is not. */
  readonly since: string | null
}

/** The answer of `systemctl show`: a map of properties for each unit. */
export function parseShow(text: string): Map<string, string>[] {
  return text
    .split(/\n\n+/)
    .map(
      (block) =>
        new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])),
    )
}

/**
 * Reads the answer of `systemctl show`: `Key=value` lines, a blank line between units. `boot` is epoch milliseconds.
 */
export function parseUnits(text: string, boot: number): Unit[] {
  return parseShow(text)
    .filter((unit) => unit.has('Id') && unit.get('LoadState') !== 'not-found')
    .map((unit) => {
      const state = unit.get('ActiveState') ?? ''
      const result = unit.get('Result') ?? ''
      const since = Number(unit.get('ActiveEnterTimestampMonotonic') ?? 0)
      return {
        unit: unit.get('Id') ?? '',
        description: unit.get('Description') ?? '',
        state,
        detail:
          result !== '' && result !== 'success' ? `${unit.get('SubState')} (${result})` : (unit.get('SubState') ?? ''),
        at_boot: unit.get('UnitFileState') ?? '',
        pid: Number(unit.get('MainPID')) || null,
        // "[not set]", or 2^64-1 in older versions.
        memory: Number(unit.get('MemoryCurrent')) < 2 ** 60 ? Number(unit.get('MemoryCurrent')) : null,
        since: state === 'active' && since > 0 ? isoTime(boot + since / 1000) : null,
      }
    })
    .sort((a, b) => (a.unit < b.unit ? -1 : 1))
}
