import { Search, WrapText } from 'lucide-react'
import type { Table } from '../../contract/chat.ts'
import { t } from '../i18n.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { IconButton } from '../parts/icon-button.tsx'
import { type TableRow, toTsv } from './table-view.ts'

interface TableGridToolbarProps {
  readonly table: Table
  /** The rows that are shown: what is counted and copied. */
  readonly rows: readonly TableRow[]
  readonly filter: string
  onFilter(filter: string): void
  readonly wrap: boolean
  /** Null where nothing is long enough to break. */
  readonly onWrap: ((wrap: boolean) => void) | null
}

/** Shorter tables are read at a glance: a filter would only be in the way. */
const FILTER_FROM = 8

/** Title, number of rows, filter and copy above a grid. */
export function TableGridToolbar({ table, rows, filter, onFilter, wrap, onWrap }: TableGridToolbarProps) {
  const count =
    rows.length === table.rows.length
      ? t('chat.table_rows', { count: rows.length })
      : t('chat.table_rows_of', { count: rows.length, total: table.rows.length })
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line py-1 ps-3 pe-1">
      <h3 className="min-w-0 truncate font-medium">{table.title}</h3>
      <span className="flex-1 text-sm whitespace-nowrap text-muted tabular-nums">{count}</span>
      {table.rows.length >= FILTER_FROM && (
        <label className="relative block max-sm:order-last max-sm:w-full max-sm:pe-2 max-sm:pb-1">
          <span className="sr-only">{t('chat.table_filter')}</span>
          <Search aria-hidden className="pointer-events-none absolute start-2 top-1.5 size-4 text-muted" />
          <input
            type="search"
            value={filter}
            placeholder={t('chat.table_filter')}
            onChange={(event) => onFilter(event.target.value)}
            className="h-7 w-44 rounded-md border border-line bg-canvas ps-8 pe-2 text-sm hover:border-line-strong focus-visible:outline-offset-0 max-sm:w-full"
          />
        </label>
      )}
      {onWrap && (
        <IconButton
          label={t('chat.table_wrap')}
          icon={WrapText}
          size="sm"
          aria-pressed={wrap}
          onClick={() => onWrap(!wrap)}
          className={wrap ? 'text-accent' : undefined}
        />
      )}
      <CopyButton label={t('chat.table_copy')} text={() => toTsv(table.columns, rows)} />
    </div>
  )
}
