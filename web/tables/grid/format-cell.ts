import type { Table } from '../../../contract/chat.ts'
import { formatBytes, formatDate, formatDateTime, formatDuration, formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'

type Cell = Table['rows'][number][string]

/**
 * Formats a cell by its column's type: sizes in bytes, percent 0–100, durations in milliseconds, times ISO 8601. Empty
 * for null.
 */
export function formatCell(value: Cell | undefined, type: Table['columns'][number]['type']): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return t(value ? 'tables.yes' : 'tables.no')
  if (typeof value === 'number') {
    if (type === 'bytes') return formatBytes(value)
    if (type === 'percent') return formatNumber(value / 100, { style: 'percent', maximumFractionDigits: 1 })
    if (type === 'duration') return formatDuration(value)
    if (type === 'date') return formatDate(value)
    if (type === 'datetime') return formatDateTime(value)
    // No grouping: an integer may be a process id, a port or a year.
    if (type === 'integer') return String(value)
    return formatNumber(value, { maximumFractionDigits: 6, useGrouping: false })
  }
  if ((type === 'datetime' || type === 'date') && !Number.isNaN(Date.parse(value))) {
    // A date without time must not move to the day before in western time zones.
    return type === 'datetime' ? formatDateTime(value) : value.slice(0, 10)
  }
  return value
}
