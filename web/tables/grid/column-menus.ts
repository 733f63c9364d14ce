import { ArrowDown, ArrowUp, EyeOff, ListFilter, MoveHorizontal } from 'lucide-react'
import { t } from '../../text/i18n.ts'
import type { MenuEntry } from '../../parts/controls/menu.tsx'
import type { GridColumn } from './grid-source.ts'
import type { TableSort } from '../grid-view.ts'
import type { ColumnNames } from './use-table-labels.ts'

interface ColumnMenu {
  readonly column: GridColumn
  readonly sort: readonly TableSort[]
  onSort(sort: readonly TableSort[]): void
  onFilter(): void
  onHide(): void
  onFit(): void
}

/** Actions for one column. */
export function columnMenu({ column, sort, onSort, onFilter, onHide, onFit }: ColumnMenu): readonly MenuEntry[] {
  const { key, label } = column
  const own = sort.find((one) => one.column === key)
  const others = sort.filter((one) => one.column !== key)
  return [
    { heading: label, text: `${key === label ? '' : `${key} · `}${t(`tables.type_${column.type}`)}` },
    'separator',
    {
      label: t('tables.sort_asc'),
      icon: ArrowUp,
      checked: own?.dir === 'asc',
      onSelect: () => onSort([{ column: key, dir: 'asc' }]),
    },
    {
      label: t('tables.sort_desc'),
      icon: ArrowDown,
      checked: own?.dir === 'desc',
      onSelect: () => onSort([{ column: key, dir: 'desc' }]),
    },
    ...(own === undefined && others.length > 0
      ? [
          {
            label: t('tables.sort_then'),
            icon: ArrowUp,
            onSelect: () => onSort([...others, { column: key, dir: 'asc' }]),
          },
        ]
      : []),
    'separator',
    { label: t('tables.filter_by'), icon: ListFilter, onSelect: onFilter },
    { label: t('tables.fit'), icon: MoveHorizontal, onSelect: onFit },
    { label: t('tables.hide'), icon: EyeOff, onSelect: onHide },
  ]
}

interface ColumnsMenu {
  readonly columns: readonly GridColumn[]
  readonly hidden: ReadonlySet<string>
  onHide(key: string): void
  onShowAll(): void
  readonly names: ColumnNames
  setNames(names: ColumnNames): void
}

/** More would be too long for a menu; the rest can be hidden from their headers. */
const LISTED = 100
const NAMES: readonly ColumnNames[] = ['given', 'readable', 'key']

/** The visible columns and their names. */
export function columnsMenu({
  columns,
  hidden,
  onHide,
  onShowAll,
  names,
  setNames,
}: ColumnsMenu): readonly MenuEntry[] {
  return [
    { heading: t('tables.names') },
    ...NAMES.map((one) => ({ label: t(`tables.names_${one}`), checked: one === names, onSelect: () => setNames(one) })),
    'separator',
    { heading: t('tables.columns') },
    ...(hidden.size > 0 ? [{ label: t('tables.show_all'), onSelect: onShowAll }] : []),
    ...columns
      .slice(0, LISTED)
      .map(({ key, label }) => ({ label, checked: !hidden.has(key), stays: true, onSelect: () => onHide(key) })),
  ]
}
