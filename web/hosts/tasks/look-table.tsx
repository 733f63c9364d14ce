import { ChevronDown, ChevronUp, Download } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { Button } from '../../parts/controls/button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { Menu } from '../../parts/controls/menu.tsx'
import { SearchBox } from '../../parts/controls/search-box.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { exportMenu } from '../../tables/export/export-menu.ts'
import { useExport } from '../../tables/export/use-export.ts'
import { formatCell } from '../../tables/grid/format-cell.ts'
import { isNumeric } from '../../tables/grid/grid-source.ts'
import { viewRows } from '../../tables/grid/view-rows.ts'
import { nextSort, type TableSort } from '../../tables/grid-view.ts'
import { formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import type { LookRow, LookTable as Table } from './look-query.ts'
import type { Operation } from './operation.ts'
import { OperationMenu, type OperationMenuProps } from './operation-buttons.tsx'

/** Rows that are drawn at first, and with each click more. */
const PAGE = 100

interface LookTableProps {
  readonly table: Table
  /** Keys of the columns that are shown, in their order; the first names the row. Exports have all. */
  readonly columns: readonly string[]
  /** What some cells show in place of their text. */
  readonly cells?: Readonly<Record<string, (row: LookRow) => ReactNode>>
  readonly operations?: (row: LookRow) => readonly Operation[]
  /** Of operations for several rows or none. */
  readonly actions?: ReactNode
  /** What an empty table means. */
  readonly empty: string
}

/** Rows of a machine: searched, sorted, exported, each with its operations. On a phone each is a block. */
export function LookTable({ table, columns: keys, cells = {}, operations, actions, empty }: LookTableProps) {
  const [search, setSearch] = useState('')
  const [sort, setSort] = useState<readonly TableSort[]>([])
  const [limit, setLimit] = useState(PAGE)
  const exporting = useExport()
  const columns = keys.flatMap((key) => table.columns.find((column) => column.key === key) ?? [])
  const rows = useMemo(
    () =>
      viewRows(table.columns, table.rows, { search, filters: [], sort }, (row, column) =>
        formatCell(row[column.key], column.type),
      ) as readonly LookRow[],
    [table, search, sort],
  )
  const [first, ...rest] = columns
  if (table.rows.length === 0 || first === undefined)
    return (
      <Panel>
        <p className="text-muted px-4 py-6 text-center">{empty}</p>
        {actions !== undefined && <div className="flex flex-wrap justify-center gap-2 px-4 pb-6">{actions}</div>}
      </Panel>
    )
  const nameOf = (row: LookRow) => formatCell(row[first.key], first.type)
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center gap-2">
        <SearchBox
          label={t('hosts.look_search')}
          value={search}
          onChange={setSearch}
          className="max-w-sm flex-1 basis-44"
        />
        <Menu
          align="end"
          trigger={<IconButton label={t('tables.export')} icon={Download} variant="secondary" />}
          entries={exportMenu(
            (format) => exporting.start({ title: table.title, columns: [...table.columns], rows: [...rows], format }),
            undefined,
          )}
        />
        {actions}
      </div>
      <Panel className="overflow-x-auto">
        <table className="block w-full text-sm md:table" aria-label={table.title}>
          <thead className="bg-sunken hidden md:table-header-group">
            <tr>
              {columns.map((column) => {
                const dir = sort.find((one) => one.column === column.key)?.dir
                return (
                  <th
                    key={column.key}
                    scope="col"
                    aria-sort={dir === undefined ? 'none' : dir === 'asc' ? 'ascending' : 'descending'}
                    className={`p-0 font-medium ${isNumeric(column) ? 'text-end' : 'text-start'}`}
                  >
                    <button
                      type="button"
                      onClick={() => setSort(nextSort(sort, column.key))}
                      className="hover:bg-hover inline-flex min-h-9 items-center gap-1 px-3 focus-visible:-outline-offset-2"
                    >
                      {column.label}
                      {dir === 'asc' && <ChevronUp aria-hidden className="size-3.5" />}
                      {dir === 'desc' && <ChevronDown aria-hidden className="size-3.5" />}
                    </button>
                  </th>
                )
              })}
              {operations !== undefined && (
                <th scope="col" className="w-12">
                  <span className="sr-only">{t('hosts.operations')}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody className="divide-line block divide-y md:table-row-group">
            {rows.slice(0, limit).map((row, index) => (
              <tr
                key={index}
                className="hover:bg-hover relative block px-3 py-2 max-md:pe-12 md:table-row md:h-9 md:px-0 md:py-0"
              >
                <th
                  scope="row"
                  className="block text-start font-medium break-all md:table-cell md:max-w-80 md:px-3 md:py-1"
                >
                  {cells[first.key]?.(row) ?? nameOf(row)}
                </th>
                {rest.map((column) => {
                  const text = formatCell(row[column.key], column.type)
                  return (
                    <td
                      key={column.key}
                      className={`gap-2 break-words md:table-cell md:max-w-96 md:px-3 md:py-1 ${text === '' ? 'max-md:hidden' : 'flex'} ${isNumeric(column) ? 'tabular md:text-end' : ''}`}
                    >
                      <span className="text-muted shrink-0 md:hidden">{column.label}</span>
                      {cells[column.key]?.(row) ?? (
                        <span className="min-w-0 [overflow-wrap:anywhere]">{text === '' ? '–' : text}</span>
                      )}
                    </td>
                  )
                })}
                {operations !== undefined && (
                  <td className="absolute top-1.5 right-2 md:static md:table-cell md:px-2 md:text-end">
                    <RowMenu about={nameOf(row)} operations={operations(row)} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length === 0 && <p className="text-muted px-4 py-4">{t('tables.no_match')}</p>}
      </Panel>
      <div className="flex flex-wrap items-center gap-3">
        <p className="text-muted text-sm" role="status">
          {rows.length === table.rows.length
            ? t('tables.rows', { count: rows.length })
            : t('tables.rows_of', { count: rows.length, total: table.rows.length })}
          {table.total_rows > table.rows.length &&
            ` · ${t('tables.cut', { shown: formatNumber(table.rows.length), total: formatNumber(table.total_rows) })}`}
        </p>
        {rows.length > limit && (
          <Button size="sm" onClick={() => setLimit(limit + PAGE)}>
            {t('audit.more')}
          </Button>
        )}
      </div>
    </div>
  )
}

/** Nothing for a row that nobody can do anything with. */
function RowMenu(props: OperationMenuProps) {
  return props.operations.length > 0 && <OperationMenu {...props} />
}
