import type { ColumnType } from '../../tool.ts'

const BY_OID: ReadonlyMap<number, ColumnType> = new Map([
  [16, 'boolean'],
  [20, 'integer'],
  [21, 'integer'],
  [23, 'integer'],
  [26, 'integer'],
  [700, 'number'],
  [701, 'number'],
  [1700, 'number'],
  [1082, 'date'],
  [1184, 'datetime'],
])

/**
 * How a column of this PostgreSQL type is shown; a timestamp without a time zone isn't an instant, so it stays text.
 */
export function postgresColumnType(oid: number): ColumnType {
  return BY_OID.get(oid) ?? 'text'
}

/**
 * Cells as PostgreSQL writes them (time zone UTC), as Reeve shows them: `2026-01-02 03:04:05.6+00` is
 * `2026-01-02T03:04:05.6Z`.
 */
export function postgresText(text: string | null, oid: number): string | null {
  if (text === null || oid !== 1184) return text
  const moment = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)\+00$/.exec(text)
  return moment === null ? text : `${moment[1]}T${moment[2]}Z`
}
