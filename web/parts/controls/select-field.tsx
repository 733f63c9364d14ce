import { ChevronDown } from 'lucide-react'
import { useId, type ReactNode, type SelectHTMLAttributes } from 'react'
import { classNames } from '../class-names.ts'
import { Field } from './field.tsx'

export interface SelectFieldProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange' | 'value' | 'size'> {
  label: string
  value: string
  onChange: (value: string) => void
  options: readonly { readonly value: string; readonly label: string }[]
  hint?: ReactNode
  error?: string | null
  /** The label is visually hidden. */
  hideLabel?: boolean
}

/** A select with label, hint and error; it uses the system's native list, which phones display well. */
export function SelectField({
  label,
  value,
  onChange,
  options,
  hint,
  error,
  hideLabel,
  id,
  className,
  ...rest
}: SelectFieldProps) {
  const ownId = useId()
  const inputId = id ?? ownId
  return (
    <Field id={inputId} label={label} hint={hint} error={error} hideLabel={hideLabel} className={className}>
      {(described) => (
        <span className="relative block">
          <select
            id={inputId}
            value={value}
            onChange={(event) => onChange(event.target.value)}
            className={classNames(
              'bg-surface text-ink block h-9 w-full appearance-none truncate rounded-md border ps-3 pe-8 focus-visible:outline-offset-0 disabled:opacity-60 max-sm:text-[1rem]',
              error ? 'border-danger' : 'border-line-strong hover:border-muted',
            )}
            {...described}
            {...rest}
          >
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </select>
          <ChevronDown aria-hidden className="text-muted pointer-events-none absolute end-2.5 top-2.5 size-4" />
        </span>
      )}
    </Field>
  )
}
