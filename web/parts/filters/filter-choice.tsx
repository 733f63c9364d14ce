import { ChevronDown } from 'lucide-react'
import { filterBox } from './filter-box.ts'

interface FilterChoiceProps {
  readonly label: string
  /** Empty: not filtered by it. */
  readonly value: string
  onChange(value: string): void
  /** What stands for not filtering; without it, one of the options is always chosen. */
  readonly any?: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
}

/** A choice of a filter bar; not shown where there is nothing to choose. The system's own list opens. */
export function FilterChoice({ label, value, onChange, any, options }: FilterChoiceProps) {
  if (options.length < 2 && value === '') return null
  const known = options.some((option) => option.value === value)
  const all = [
    ...(any === undefined ? [] : [{ value: '', label: any }]),
    ...options,
    // From a link: what it names is still taken back here.
    ...(known || value === '' ? [] : [{ value, label: value }]),
  ]
  return (
    <div className={filterBox(any !== undefined && value !== '')}>
      <span aria-hidden className="text-muted shrink-0 text-sm @max-2xl:group-data-pair/choices:hidden">
        {label}
      </span>
      <span aria-hidden className="min-w-0 flex-1 truncate @2xl:max-w-44">
        {all.find((option) => option.value === value)?.label}
      </span>
      <ChevronDown aria-hidden className="text-muted size-4 shrink-0" />
      <select
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        // Only what it would draw itself is not seen: the box draws the choice, as wide as it is.
        className="absolute inset-0 w-full cursor-pointer opacity-0"
      >
        {all.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  )
}
