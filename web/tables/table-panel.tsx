import { lazy, Suspense, useMemo, useState, type ReactNode } from 'react'
import type { ChartSuggestion } from '../../contract/chart-suggestion.ts'
import type { TableExport } from '../../contract/tables.ts'
import { classNames } from '../class-names.ts'
import { copyText } from '../copy-text.ts'
import { explainError } from '../explain-error.ts'
import { t } from '../i18n.ts'
import { announce } from '../parts/announcer.tsx'
import { Button } from '../parts/button.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { toast } from '../parts/toast.tsx'
import { columnMenu, columnsMenu } from './column-menus.ts'
import { ExportProgress } from './export-progress.tsx'
import { FilterChips } from './filter-chips.tsx'
import { FilterDialog } from './filter-dialog.tsx'
import { Grid } from './grid.tsx'
import { isNumeric, type GridColumn, type GridSource } from './grid-source.ts'
import { nextSort, type TableFilter, type TableView } from './table-view.ts'
import { TableToolbar } from './table-toolbar.tsx'
import { toTsv } from './to-tsv.ts'
import type { Exporting } from './use-export.ts'
import { COPY_LIMIT } from './use-grid-cells.ts'
import { useTableLabels, type ColumnNames } from './use-table-labels.ts'

const TableChart = lazy(async () => ({ default: (await import('./chart/table-chart.tsx')).TableChart }))

export interface TablePanelProps {
  readonly title: string
  /** Shown above the grid as well, where nothing else says it. */
  readonly titled: boolean
  readonly columns: readonly GridColumn[]
  readonly source: GridSource
  readonly count: string
  readonly view: TableView
  onView(view: TableView): void
  /** Whether there is enough to search. */
  readonly searchable: boolean
  /** What is shown: file, sheet and view. */
  readonly of: string
  readonly busy: boolean
  readonly fill: boolean
  /** How the rows are drawn at first; without it, they are shown as a grid. */
  readonly chart?: ChartSuggestion | undefined
  readonly exporting: Exporting
  /** What to export: the visible columns under their present names. */
  exportBody(columns: readonly GridColumn[]): TableExport
  /** Under the grid. */
  readonly children?: ReactNode
}

/** A table with everything that can be done with it: search, filters, sort, columns, copy, chart, export. */
export function TablePanel(props: TablePanelProps) {
  const { title, titled, source, count, view, onView, searchable, of, busy, fill, exporting, exportBody, children } =
    props
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const [names, setNames] = useState<ColumnNames>('given')
  const [wrap, setWrap] = useState(false)
  const [chart, setChart] = useState(props.chart !== undefined)
  const [editing, setEditing] = useState<{ from: Partial<TableFilter>; index: number } | null>(null)
  const labels = useTableLabels(props.columns, title, names)
  const { columns } = labels
  const visible = useMemo(() => columns.filter(({ key }) => !hidden.has(key)), [columns, hidden])
  const narrowed = view.search.trim() !== '' || view.filters.length > 0
  const drawable = columns.some(isNumeric) && source.rowCount > 1

  const setFilters = (filters: readonly TableFilter[]): void => onView({ ...view, filters })
  const hide = (key: string): void => {
    const next = new Set(hidden)
    if (!next.delete(key)) next.add(key)
    // A grid without a column would be a grid without a way back.
    if (next.size < columns.length) setHidden(next)
  }
  const sort = (column: GridColumn): void => onView({ ...view, sort: nextSort(view.sort, column.key) })
  const copyAll = async (): Promise<void> => {
    try {
      const rows = source.rowCount === 0 ? [] : await source.rows(0, Math.min(COPY_LIMIT, source.rowCount) - 1)
      if (!(await copyText(toTsv(visible, rows)))) return toast({ text: t('copy.failed'), tone: 'danger' })
      if (source.rowCount > COPY_LIMIT) toast({ text: t('tables.copy_cut', { count: COPY_LIMIT }), tone: 'warn' })
      else toast({ text: t('tables.copied_rows', { count: rows.length }), tone: 'ok' })
      announce(t('copy.done'))
    } catch (error) {
      toast({ text: explainError(error), tone: 'danger' })
    }
  }
  return (
    <div className={classNames('flex min-w-0 flex-col', fill && 'min-h-0 flex-1')}>
      <TableToolbar
        title={titled && <h3 className="min-w-0 truncate font-medium">{title}</h3>}
        count={count}
        search={view.search}
        onSearch={searchable ? (search) => onView({ ...view, search }) : null}
        onFilter={() => setEditing({ from: {}, index: view.filters.length })}
        columnsMenu={columnsMenu({
          columns,
          hidden,
          onHide: hide,
          onShowAll: () => setHidden(new Set()),
          names,
          setNames,
        })}
        wrap={wrap}
        onWrap={setWrap}
        chart={chart}
        onChart={drawable || chart ? setChart : null}
        onCopy={() => void copyAll()}
        onExport={() => exporting.start(exportBody(visible))}
        exporting={exporting.bytes !== null}
      />
      <FilterChips
        filters={view.filters}
        columns={columns}
        onChange={(index) => setEditing({ from: view.filters[index] ?? {}, index })}
        onRemove={(index) => setFilters(view.filters.toSpliced(index, 1))}
        onClear={() => setFilters([])}
      />
      <ExportProgress bytes={exporting.bytes} onCancel={exporting.cancel} />
      {labels.error !== null && (
        <p role="alert" className="border-line text-danger border-b px-3 py-1.5 text-sm">
          {t('tables.labels_failed')} {explainError(labels.error)}
        </p>
      )}
      {chart ? (
        <Suspense fallback={<Skeleton className="m-3 h-72" />}>
          <TableChart title={title} columns={visible} source={source} of={of} suggested={props.chart} />
        </Suspense>
      ) : (
        <>
          <Grid
            label={title}
            columns={visible}
            source={source}
            sort={view.sort}
            onSort={sort}
            menuOf={(column, fit) =>
              columnMenu({
                column,
                sort: view.sort,
                onSort: (next) => onView({ ...view, sort: next }),
                onFilter: () => setEditing({ from: { column: column.key }, index: view.filters.length }),
                onHide: () => hide(column.key),
                onFit: fit,
              })
            }
            wrap={wrap}
            of={of}
            busy={busy}
            fill={fill}
          />
          {source.rowCount === 0 && !busy && (
            <div className="text-muted flex flex-wrap items-center gap-3 px-3 py-4 text-sm">
              <p>{t(narrowed ? 'tables.no_match' : 'tables.empty')}</p>
              {narrowed && (
                <Button size="sm" onClick={() => onView({ ...view, search: '', filters: [] })}>
                  {t('tables.show_rows')}
                </Button>
              )}
            </div>
          )}
        </>
      )}
      {children}
      {editing !== null && (
        <FilterDialog
          columns={columns}
          from={editing.from}
          onApply={(filter) => setFilters(view.filters.toSpliced(editing.index, 1, filter))}
          onClose={() => setEditing(null)}
        />
      )}
    </div>
  )
}
