import { lazy, Suspense, type ReactNode } from 'react'
import { classNames } from '../parts/class-names.ts'
import { explainError } from '../client/explain-error.ts'
import { t } from '../text/i18n.ts'
import { Button } from '../parts/controls/button.tsx'
import { Skeleton } from '../parts/feedback/skeleton.tsx'
import { ExportProgress } from './export/export-progress.tsx'
import { FilterChips } from './filter/filter-chips.tsx'
import { FilterDialog } from './filter/filter-dialog.tsx'
import { Grid } from './grid/grid.tsx'
import { TableToolbar } from './table-toolbar.tsx'
import { useTablePanel, type ShownTable, type TableExports } from './use-table-panel.ts'

const TableChart = lazy(async () => ({ default: (await import('./chart/table-chart.tsx')).TableChart }))

interface TablePanelProps {
  readonly table: ShownTable
  readonly exports: TableExports
  /** Also show its title above the grid, where nothing else does. */
  readonly titled: boolean
  /** Whether there are enough rows to search. */
  readonly searchable: boolean
  readonly fill: boolean
  /** Opens the options for how the table is read. */
  onReading?: (() => void) | undefined
  /** Content below the grid. */
  readonly children?: ReactNode
}

/** A table with its tools: search, filters, sort, columns, copy, chart, export. */
export function TablePanel({ table, exports, titled, searchable, fill, onReading, children }: TablePanelProps) {
  const panel = useTablePanel(table, exports)
  const { columns, filters, exporting, wrap, chart } = panel
  const { title, source, view, of, busy } = table
  return (
    <div className={classNames('flex min-w-0 flex-col', fill && 'min-h-0 flex-1')}>
      <TableToolbar
        title={titled && <h3 className="min-w-0 truncate font-medium">{title}</h3>}
        count={table.count}
        search={view.search}
        onSearch={searchable ? panel.search : null}
        onFilter={() => filters.add({})}
        onReading={onReading ?? null}
        columnsMenu={panel.columnsMenu}
        wrap={wrap}
        onWrap={panel.setWrap}
        chart={chart}
        onChart={panel.setChart}
        onCopy={panel.copy}
        exportMenu={panel.exportMenu}
        exporting={exporting.bytes !== null}
      />
      <FilterChips
        filters={filters.filters}
        columns={columns.columns}
        onChange={filters.change}
        onRemove={filters.remove}
        onClear={filters.clear}
      />
      <ExportProgress bytes={exporting.bytes} onCancel={exporting.cancel} />
      {columns.error !== null && (
        <p role="alert" className="border-line text-danger border-b px-3 py-1.5 text-sm">
          {t('tables.labels_failed')} {explainError(columns.error)}
        </p>
      )}
      {chart ? (
        <Suspense fallback={<Skeleton className="m-3 h-72" />}>
          <TableChart title={title} columns={columns.visible} source={source} of={of} suggested={table.chart} />
        </Suspense>
      ) : (
        <>
          <Grid
            label={title}
            columns={columns.visible}
            source={source}
            sort={view.sort}
            onSort={panel.sort}
            menuOf={panel.menuOf}
            wrap={wrap}
            of={of}
            busy={busy}
            fill={fill}
          />
          {source.rowCount === 0 && !busy && (
            <div className="text-muted flex flex-wrap items-center gap-3 px-3 py-4 text-sm">
              <p>{t(panel.narrowed ? 'tables.no_match' : 'tables.empty')}</p>
              {panel.narrowed && (
                <Button size="sm" onClick={panel.showAllRows}>
                  {t('tables.show_rows')}
                </Button>
              )}
            </div>
          )}
        </>
      )}
      {children}
      {filters.editing !== null && (
        <FilterDialog
          columns={columns.columns}
          from={filters.editing}
          onApply={filters.apply}
          onClose={filters.close}
        />
      )}
    </div>
  )
}
