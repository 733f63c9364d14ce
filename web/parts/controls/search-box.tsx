import { Search } from 'lucide-react'
import type { InputHTMLAttributes, KeyboardEvent } from 'react'

interface SearchBoxProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value' | 'size'> {
  /** Its name, and what it shows while it is empty. */
  readonly label: string
  readonly value: string
  onChange(value: string): void
}

/** The search field of every list. Escape empties it first; what Escape would close stays open until the next press. */
export function SearchBox({ label, value, onChange, className, onKeyDown, ...rest }: SearchBoxProps) {
  const press = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.nativeEvent.isComposing) return
    onKeyDown?.(event)
    if (event.key !== 'Escape' || value === '') return
    event.preventDefault()
    event.stopPropagation()
    onChange('')
  }
  return (
    <span className={`relative block min-w-0 ${className ?? ''}`}>
      <Search aria-hidden className="text-muted pointer-events-none absolute start-2.5 top-1/2 -mt-2 size-4" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={press}
        className="bg-surface block h-9 w-full rounded-md border ps-8.5 pe-2 focus-visible:outline-offset-0 max-sm:text-[1rem] border-line-strong hover:border-muted"
        {...rest}
      />
    </span>
  )
}
