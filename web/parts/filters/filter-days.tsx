import { useId } from 'react'
import { t } from '../../text/i18n.ts'
import { filterBox } from './filter-box.ts'

interface Days {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

interface FilterDaysProps<T extends Days> {
  readonly search: T
  onChange(search: T): void
}

/** The first and the last day of what is listed. */
export function FilterDays<T extends Days>({ search, onChange }: FilterDaysProps<T>) {
  return (
    <>
      <Day
        label={t('audit.from')}
        value={search.from}
        max={search.to}
        onChange={(from) => onChange({ ...search, from })}
      />
      <Day label={t('audit.to')} value={search.to} min={search.from} onChange={(to) => onChange({ ...search, to })} />
    </>
  )
}

interface DayProps {
  readonly label: string
  readonly value: string | undefined
  readonly min?: string | undefined
  readonly max?: string | undefined
  onChange(value: string): void
}

function Day({ label, value = '', onChange, ...range }: DayProps) {
  const id = useId()
  return (
    <div className={filterBox(value !== '')}>
      <label htmlFor={id} className="text-muted shrink-0 text-sm">
        {label}
      </label>
      <input
        id={id}
        type="date"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="h-full w-full min-w-0 bg-transparent focus-visible:outline-none @2xl:w-30"
        {...range}
      />
    </div>
  )
}
