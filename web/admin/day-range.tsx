import { TextField } from '../parts/controls/text-field.tsx'
import { t } from '../text/i18n.ts'

interface Days {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

interface DayRangeProps<T extends Days> {
  readonly search: T
  onChange(search: T): void
}

/** The first and the last day of what is listed, as two fields of a filter. */
export function DayRange<T extends Days>({ search, onChange }: DayRangeProps<T>) {
  return (
    <>
      <TextField
        label={t('audit.from')}
        type="date"
        value={search.from ?? ''}
        max={search.to}
        onChange={(from) => onChange({ ...search, from })}
      />
      <TextField
        label={t('audit.to')}
        type="date"
        value={search.to ?? ''}
        min={search.from}
        onChange={(to) => onChange({ ...search, to })}
      />
    </>
  )
}
