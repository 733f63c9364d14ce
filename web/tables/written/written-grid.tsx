import { Download, Sheet } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { t } from '../../text/i18n.ts'
import { CopyButton } from '../../parts/controls/copy-button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { Menu } from '../../parts/controls/menu.tsx'
import { AnswerTable, type WrittenLook } from '../answer-table.tsx'
import { exportMenu } from '../export/export-menu.ts'
import { useExport } from '../export/use-export.ts'
import { toTsv } from '../grid/to-tsv.ts'
import { readTable, type TableText } from './written-table.ts'

/** In characters: longer cells are sentences, which are read whole. */
const SENTENCE = 40
/** Cells of the first rows say whether there are any. */
const LOOKED_AT = 60

interface WrittenGridProps {
  readonly text: TableText
  /** A cell with its formatting, by its place in `text`. */
  cell(row: number, column: number): ReactNode
}

/** A table that a model has written, as the grid that tables of tools have. A separate chunk. */
export function WrittenGrid({ text, cell }: WrittenGridProps) {
  const read = useMemo(() => readTable(text), [text])
  const look = useMemo<WrittenLook>(() => {
    const places = new Map(read.table.rows.map((row, at) => [row as object, at]))
    const columns = new Map(read.table.columns.map(({ key }, at) => [key, at]))
    return {
      textsOf: (row) => read.texts[places.get(row) ?? 0]!,
      contentOf: (row, key) => cell(places.get(row) ?? 0, columns.get(key) ?? 0),
      formats: read.formats,
      wraps: text.rows.slice(0, LOOKED_AT).some((row) => row.some(({ length }) => length > SENTENCE)),
    }
  }, [read, text, cell])
  return <AnswerTable table={read.table} written={look} />
}

interface WrittenToolsProps {
  readonly text: TableText
  /** Shows it as a grid, with everything that a grid can do. */
  onGrid(): void
}

/** The tools of a small table that is shown as it was written. */
export function WrittenTools({ text, onGrid }: WrittenToolsProps) {
  const exporting = useExport()
  const entries = exportMenu((format) => {
    const { table, formats } = readTable(text)
    const presented = Object.entries(formats).map(([key, currency]) => [key, { format: currency }])
    const { title, columns, rows } = table
    exporting.start({ title, columns, rows, format, ai_column_presentation: Object.fromEntries(presented) })
  }, undefined)
  return (
    <div className="border-line bg-surface flex items-center rounded-md border shadow-sm">
      <IconButton label={t('tables.show_grid')} icon={Sheet} size="sm" onClick={onGrid} />
      <CopyButton
        label={t('tables.copy')}
        text={() => {
          const { table } = readTable(text)
          return toTsv(table.columns, table.rows)
        }}
      />
      <Menu
        align="end"
        entries={entries}
        trigger={
          <IconButton label={t('tables.export')} icon={Download} size="sm" disabled={exporting.bytes !== null} />
        }
      />
    </div>
  )
}
