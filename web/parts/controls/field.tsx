import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from '../class-names.ts'

export interface FieldProps {
  /** Id of the control. */
  id: string
  label: string
  hint?: ReactNode
  error?: string | null
  hideLabel?: boolean
  required?: boolean
  className?: string
  /** Renders the control; spread the given attributes on it. */
  children: (described: { 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode
}

/** Layout of every form control: label above, control, then hint and error. */
export function Field({ id, label, hint, error, hideLabel, className, children }: FieldProps) {
  const hintId = `${id}-hint`
  const errorId = `${id}-error`
  const describedBy = [hint ? hintId : '', error ? errorId : ''].filter(Boolean).join(' ')
  return (
    <div className={className}>
      <label htmlFor={id} className={classNames('mb-1.5 block font-medium', hideLabel && 'sr-only')}>
        {label}
      </label>
      {children({
        ...(describedBy === '' ? {} : { 'aria-describedby': describedBy }),
        ...(error ? { 'aria-invalid': true as const } : {}),
      })}
      {hint && (
        <div id={hintId} className="text-muted mt-1.5 text-sm">
          {hint}
        </div>
      )}
      <div id={errorId} role="alert">
        {error && (
          <p className="text-danger mt-1.5 flex items-start gap-1.5 text-sm">
            <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            {error}
          </p>
        )}
      </div>
    </div>
  )
}
