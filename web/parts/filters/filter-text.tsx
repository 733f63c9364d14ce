import { useId } from 'react'
import { filterBox } from './filter-box.ts'

interface FilterTextProps {
  readonly label: string
  readonly value: string
  onChange(value: string): void
  readonly placeholder: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
}

/** A choice of a filter bar that may also be written; the browser suggests from the options. */
export function FilterText({ label, value, onChange, placeholder, options }: FilterTextProps) {
  const id = useId()
  return (
    <div className={filterBox(value !== '')}>
      <label htmlFor={id} className="text-muted shrink-0 text-sm">
        {label}
      </label>
      <input
        id={id}
        list={`${id}-list`}
        value={value}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
        className="h-full w-full min-w-0 bg-transparent focus-visible:outline-none max-sm:text-[1rem] @2xl:w-36"
      />
      <datalist id={`${id}-list`}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </datalist>
    </div>
  )
}
