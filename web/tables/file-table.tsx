import { lazy, Suspense, useMemo, useState } from 'react'
import type { FileRef } from '../../contract/files.ts'
import type { TableResult } from '../../contract/tables.ts'
import { ApiError } from '../client/api-error.ts'
import { t } from '../text/i18n.ts'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import type { GridColumn } from './grid/grid-source.ts'
import { SheetTabs } from './sheet-tabs.tsx'
import { TableNotices } from './table-notices.tsx'
import { TablePanel } from './table-panel.tsx'
import { viewBody, WHOLE } from './grid-view.ts'
import { useExport } from './export/use-export.ts'
import { useFileTable } from './use-file-table.ts'

const ReadingDialog = lazy(async () => ({ default: (await import('./reading/reading-dialog.tsx')).ReadingDialog }))

interface FileTableProps {
  readonly file: Pick<FileRef, 'file_id' | 'name'>
  /** Fills its parent (a page), or is as high as needed (an answer). */
  readonly fill: boolean
  readonly titled?: boolean
}

/** A stored table as a grid: the server searches, filters, sorts and pages. A separate chunk. */
export function FileTable({ file, fill, titled = false }: FileTableProps) {
  const [sheet, setSheet] = useState('')
  const [view, setView] = useState(WHOLE)
  const table = useFileTable(file.file_id, sheet, view)
  const { head, source, place, busy } = table
  const columns = useColumns(head)
  // Here, not in the panel: switching sheets must not cancel an export.
  const exporting = useExport()
  const [reading, setReading] = useState(false)
  const openReading = (): void => setReading(true)
  const dialog = reading && (
    <Suspense>
      <ReadingDialog
        file={file}
        sheet={sheet}
        // The columns may have different names now.
        onChanged={() => setView(WHOLE)}
        onClose={() => setReading(false)}
      />
    </Suspense>
  )
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
  const several = head.sheets.length > 1
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
            table={{
              title: several ? `${file.name} · ${head.sheet}` : file.name,
              columns,
              source,
              count: countText(head, table.allRows),
              view,
              onView: setView,
              of: JSON.stringify(place),
              busy,
            }}
            exports={{
              exporting,
              rowsOf: (visible) => ({
                file_id: file.file_id,
                sheet: head.sheet,
                view: viewBody(view),
                columns: visible.map(({ key }) => key),
                title: several ? `${file.name} ${head.sheet}` : file.name,
                ai_column_presentation: Object.fromEntries(
                  visible.map(({ key, label }) => [key, { label: label.slice(0, 300) }]),
                ),
              }),
              allSheets: several ? { file_id: file.file_id, all_sheets: true } : undefined,
            }}
            titled={titled}
            searchable
            fill={fill}
            onReading={openReading}
          />
        </>
      )}
      {dialog}
    </SheetTabs>
  )
}

/** Shown when a table cannot be displayed at all; the file itself is unharmed. */
function Failed({ error, onRetry }: { readonly error: unknown; onRetry(): void }) {
  const slow = error instanceof ApiError && error.code === 'table_timeout'
  const damaged = error instanceof ApiError && (error.status === 415 || error.status === 422)
  return (
    <ErrorNotice
      title={t(slow ? 'tables.slow' : 'tables.failed')}
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

/** Keeps the list identical for equal columns, whichever page or view they came with: grids measure a new list. */
function useColumns(head: TableResult | null): readonly GridColumn[] {
  const text = JSON.stringify(head?.columns.map(({ key, label, type }) => ({ key, label, type })) ?? [])
  return useMemo(() => JSON.parse(text) as GridColumn[], [text])
}
