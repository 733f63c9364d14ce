import { ChartColumn, Columns3, Copy, Download, FileCog, ListFilter, Sheet, WrapText } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../text/i18n.ts'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { SearchBox } from '../parts/controls/search-box.tsx'
import { Menu, type MenuEntry } from '../parts/controls/menu.tsx'

interface TableToolbarProps {
  readonly title: ReactNode
  readonly count: string
  readonly search: string
  /** Null when the table can be read at a glance: a search would only be in the way. */
  readonly onSearch: ((search: string) => void) | null
  onFilter(): void
  /** Null when there are no options for how it is read. */
  readonly onReading: (() => void) | null
  readonly columnsMenu: readonly MenuEntry[]
  readonly wrap: boolean
  onWrap(wrap: boolean): void
  readonly chart: boolean
  /** Null when there is nothing to chart. */
  readonly onChart: ((chart: boolean) => void) | null
  onCopy(): void
  readonly exportMenu: readonly MenuEntry[]
  readonly exporting: boolean
}

/** The toolbar of a table: title, number of rows, and actions. */
export function TableToolbar(props: TableToolbarProps) {
  const { title, count, search, onSearch, onFilter, onReading, columnsMenu, wrap, onWrap, chart, onChart, onCopy } =
    props
  return (
    <div className="border-line flex flex-wrap items-center gap-x-3 gap-y-1 border-b py-1 ps-3 pe-1">
      {title}
      <span role="status" className="text-muted flex-1 text-sm whitespace-nowrap tabular-nums">
        {count}
      </span>
      {onSearch !== null && (
        <SearchBox
          label={t('tables.search')}
          value={search}
          onChange={onSearch}
          className="w-44 [&_input]:h-7 [&_input]:text-sm max-sm:order-last max-sm:mb-1 max-sm:w-full max-sm:pe-2"
        />
      )}
      <div className="ms-auto flex shrink-0 items-center">
        <IconButton label={t('tables.filter_add')} icon={ListFilter} size="sm" onClick={onFilter} />
        {onReading !== null && <IconButton label={t('tables.reading')} icon={FileCog} size="sm" onClick={onReading} />}
        <Menu
          align="end"
          entries={columnsMenu}
          trigger={<IconButton label={t('tables.columns')} icon={Columns3} size="sm" />}
        />
        <IconButton
          label={t('tables.wrap')}
          icon={WrapText}
          size="sm"
          aria-pressed={wrap}
          onClick={() => onWrap(!wrap)}
          className={wrap ? 'text-accent' : undefined}
        />
        {onChart !== null && (
          <IconButton
            label={t(chart ? 'tables.show_grid' : 'tables.show_chart')}
            icon={chart ? Sheet : ChartColumn}
            size="sm"
            onClick={() => onChart(!chart)}
          />
        )}
        <IconButton label={t('tables.copy')} icon={Copy} size="sm" onClick={onCopy} />
        <Menu
          align="end"
          entries={props.exportMenu}
          trigger={<IconButton label={t('tables.export')} icon={Download} size="sm" disabled={props.exporting} />}
        />
      </div>
    </div>
  )
}
