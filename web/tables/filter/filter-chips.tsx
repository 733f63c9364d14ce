import { X } from 'lucide-react'
import { t } from '../../text/i18n.ts'
import { formatCell } from '../grid/format-cell.ts'
import { needsValue } from './filter-form.ts'
import type { GridColumn } from '../grid/grid-source.ts'
import type { TableFilter } from '../grid-view.ts'

interface FilterChipsProps {
  readonly filters: readonly TableFilter[]
  readonly columns: readonly GridColumn[]
  onChange(index: number): void
  onRemove(index: number): void
  onClear(): void
}

/** The filters of a table in words: a click edits one, its × removes it. */
export function FilterChips({ filters, columns, onChange, onRemove, onClear }: FilterChipsProps) {
  if (filters.length === 0) return null
  return (
    <div className="border-line flex flex-wrap items-center gap-1.5 border-b px-3 py-1.5">
      <ul aria-label={t('tables.filters')} className="contents">
        {filters.map((filter, index) => {
          const words = filterWords(filter, columns)
          return (
            <li
              // Filters can be equal, so only their position identifies them.
              key={index}
              className="bg-accent-soft text-accent inline-flex max-w-full items-center rounded-full ps-2.5 pe-1 text-sm"
            >
              <button type="button" className="min-w-0 truncate py-0.5" onClick={() => onChange(index)}>
                {words}
              </button>
              <button
                type="button"
                aria-label={t('tables.filter_remove', { filter: words })}
                onClick={() => onRemove(index)}
                className="hover:bg-hover inline-flex size-6 shrink-0 items-center justify-center rounded-full"
              >
                <X aria-hidden className="size-3.5" />
              </button>
            </li>
          )
        })}
      </ul>
      {filters.length > 1 && (
        <button type="button" onClick={onClear} className="text-muted hover:text-ink h-6 px-1.5 text-sm">
          {t('tables.filters_clear')}
        </button>
      )}
    </div>
  )
}

function filterWords({ column: key, op, value }: TableFilter, columns: readonly GridColumn[]): string {
  const column = columns.find((one) => one.key === key)
  const name = column?.label ?? key
  const words = t(`tables.op_${op}`)
  if (!needsValue(op) || value === undefined) return `${name} ${words}`
  const values = typeof value === 'object' ? value : [value]
  return `${name} ${words} ${values.map((one) => formatCell(one, column?.type ?? 'text')).join(', ')}`
}
