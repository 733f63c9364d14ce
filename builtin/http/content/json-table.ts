import type { ReportTable } from '../../tool.ts'

const ROWS = 1000
const COLUMNS = 40

/**
 * A list of objects as a table: the response itself, or the only list of objects in it. Null when there is none or more
 * than one.
 */
export function jsonTable(value: unknown): ReportTable | null {
  if (isRecords(value)) return table('Items', value)
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null
  const lists = Object.entries(value).filter((entry): entry is [string, Record<string, unknown>[]] =>
    isRecords(entry[1]),
  )
  const [only] = lists
  return lists.length === 1 && only !== undefined ? table(only[0], only[1]) : null
}

function isRecords(value: unknown): value is Record<string, unknown>[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (item) => item !== null && typeof item === 'object' && !Array.isArray(item) && Object.keys(item).length > 0,
    )
  )
}

function table(title: string, items: readonly Record<string, unknown>[]): ReportTable {
  const shown = items.slice(0, ROWS)
  const names = [...new Set(shown.flatMap(Object.keys))]
    .filter((name) => name !== '__proto__' && name !== '')
    .slice(0, COLUMNS)
  const columns = names.map((name) => {
    const values = shown.map((item) => own(item, name)).filter((value) => value !== null && value !== undefined)
    const every = (test: (value: unknown) => boolean) => values.length > 0 && values.every(test)
    const type = every(Number.isSafeInteger)
      ? ('integer' as const)
      : every((value) => typeof value === 'number')
        ? ('number' as const)
        : every((value) => typeof value === 'boolean')
          ? ('boolean' as const)
          : ('text' as const)
    return { key: name, label: name, type }
  })
  const rows = shown.map((item) =>
    Object.fromEntries(columns.map(({ key, type }) => [key, cell(own(item, key), type)])),
  )
  return { title, columns, rows, total_rows: items.length }
}

function own(item: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(item, name) ? item[name] : null
}

function cell(value: unknown, type: string): string | number | boolean | null {
  if (value === null || value === undefined) return null
  if (type !== 'text' && (typeof value === 'number' || typeof value === 'boolean')) return value
  return typeof value === 'string' ? value : JSON.stringify(value)
}
