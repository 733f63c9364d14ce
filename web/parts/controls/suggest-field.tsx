import { useId } from 'react'
import { TextField } from './text-field.tsx'

interface SuggestFieldProps {
  readonly label: string
  readonly value: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly hint?: string
  readonly placeholder?: string
  readonly error: string | null
  /** Takes the focus when it appears. */
  readonly autoFocus?: boolean
  onChange(value: string): void
}

/** A text field with suggestions, which the browser displays natively. */
export function SuggestField({ options, hint, ...field }: SuggestFieldProps) {
  const id = useId()
  return (
    <div>
      <TextField {...field} {...(hint === undefined ? {} : { hint })} list={id} autoComplete="off" spellCheck={false} />
      <datalist id={id}>
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </datalist>
    </div>
  )
}
