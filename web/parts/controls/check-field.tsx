import { useId, type ReactNode } from 'react'

export interface CheckFieldProps {
  label: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  hint?: ReactNode
  error?: string | null
  disabled?: boolean
}

/** A checkbox with its label and hint. */
export function CheckField({ label, checked, onChange, hint, error, disabled }: CheckFieldProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-2.5">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
        aria-describedby={hint || error ? `${id}-hint` : undefined}
        aria-invalid={error ? true : undefined}
        className="mt-1 size-4 shrink-0 accent-(--accent)"
      />
      <div className="min-w-0">
        <label htmlFor={id} className="font-medium break-words">
          {label}
        </label>
        <div id={`${id}-hint`}>
          {hint && <div className="text-muted text-sm break-words">{hint}</div>}
          {error && (
            <p role="alert" className="text-danger text-sm">
              {error}
            </p>
          )}
        </div>
      </div>
    </div>
  )
}
