import { EXPORT_FORMATS, type ExportFormat } from '../../../contract/export-formats.ts'
import { t } from '../../text/i18n.ts'
import type { MenuEntry } from '../../parts/controls/menu.tsx'

const NAMES: Record<ExportFormat, string> = {
  xlsx: 'XLSX',
  csv: 'CSV',
  json: 'JSON',
  ndjson: 'NDJSON',
  parquet: 'Parquet',
}

/** Export formats of a table; with `onAll`, also for all sheets of its file. */
export function exportMenu(
  onRows: (format: ExportFormat) => void,
  onAll: ((format: ExportFormat) => void) | undefined,
): readonly MenuEntry[] {
  const formats = (onSelect: (format: ExportFormat) => void): MenuEntry[] =>
    EXPORT_FORMATS.map((format) => ({
      label: NAMES[format],
      note: t(`tables.format_${format}`),
      onSelect: () => onSelect(format),
    }))
  return [
    { heading: t('tables.export_rows') },
    ...formats(onRows),
    ...(onAll === undefined ? [] : ['separator' as const, { heading: t('tables.export_all') }, ...formats(onAll)]),
  ]
}
