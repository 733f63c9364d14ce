import { useMemo, useState } from 'react'
import type { FileRef } from '../../contract/files.ts'
import type { TableResult } from '../../contract/tables.ts'
import { ApiError } from '../api-error.ts'
import { t } from '../i18n.ts'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import type { GridColumn } from './grid-source.ts'
import { SheetTabs } from './sheet-tabs.tsx'
import { TableNotices } from './table-notices.tsx'
import { TablePanel } from './table-panel.tsx'
import { viewBody, WHOLE } from './table-view.ts'
import { useExport } from './use-export.ts'
import { useFileTable } from './use-file-table.ts'

interface FileTableProps {
  readonly file: Pick<FileRef, 'file_id' | 'name'>
  /** Fills its parent (a page), or is as high as it needs (an answer). */
  readonly fill: boolean
  readonly titled?: boolean
}

/** A stored table as a grid: the server searches, filters and sorts, and gives page by page. A chunk of its own. */
export function FileTable({ file, fill, titled = false }: FileTableProps) {
  const [sheet, setSheet] = useState('')
  const [view, setView] = useState(WHOLE)
  const table = useFileTable(file.file_id, sheet, view)
  const { head, source, place, busy } = table
  const columns = useColumns(head)
  // Here, not in the panel: another sheet must not stop the export of this one.
  const exporting = useExport()
  if (head === null) {
    return table.error === null ? (
      <div className="p-3">
        <SkeletonRows rows={8} className="h-7" />
      </div>
    ) : (
      <Failed error={table.error} onRetry={table.retry} />
    )
  }
  const selected = sheet === '' ? head.sheet : sheet
  return (
    <SheetTabs
      sheets={head.sheets}
      selected={selected}
      onSelect={(next) => {
        setSheet(next)
        setView(WHOLE)
      }}
    >
      {table.error !== null && head.sheet !== selected ? (
        <Failed error={table.error} onRetry={table.retry} />
      ) : (
        <>
          {table.error !== null && (
            <ErrorNotice title={t('tables.rows_failed')} error={table.error} onRetry={table.retry} className="m-2" />
          )}
          <TableNotices notices={head.notices} preparing={head.preparing} />
          <TablePanel
            // Hidden columns and widths belong to a sheet.
            key={head.sheet}
            title={head.sheets.length > 1 ? `${file.name} · ${head.sheet}` : file.name}
            titled={titled}
            columns={columns}
            source={source}
            count={countText(head, table.allRows)}
            view={view}
            onView={setView}
            searchable
            of={JSON.stringify(place)}
            busy={busy}
            fill={fill}
            exporting={exporting}
            exportBody={(visible) => ({
              file_id: file.file_id,
              sheet: head.sheet,
              view: viewBody(view),
              columns: visible.map(({ key }) => key),
              title: head.sheets.length > 1 ? `${file.name} ${head.sheet}` : file.name,
              ai_column_presentation: Object.fromEntries(
                visible.map(({ key, label }) => [key, { label: label.slice(0, 300) }]),
              ),
            })}
          />
        </>
      )}
    </SheetTabs>
  )
}

/** Nothing of a table can be shown; the file itself is unharmed. */
function Failed({ error, onRetry }: { readonly error: unknown; onRetry(): void }) {
  const damaged = error instanceof ApiError && (error.status === 415 || error.status === 422)
  return (
    <ErrorNotice
      title={t('tables.failed')}
      error={error}
      advice={damaged ? t('tables.failed_advice') : undefined}
      onRetry={onRetry}
      className="m-3"
    />
  )
}

function countText({ total_rows: total, rows }: TableResult, all: number | null): string {
  if (total === null) return t('tables.rows_first', { count: rows.length })
  return all === null || all === total
    ? t('tables.rows', { count: total })
    : t('tables.rows_of', { count: total, total: all })
}

/** The same columns are the same list, whichever page or view they came with: grids measure a new one. */
function useColumns(head: TableResult | null): readonly GridColumn[] {
  const text = JSON.stringify(head?.columns.map(({ key, label, type }) => ({ key, label, type })) ?? [])
  return useMemo(() => JSON.parse(text) as GridColumn[], [text])
}
