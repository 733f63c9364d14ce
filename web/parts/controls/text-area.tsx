import { useId, type ReactNode, type Ref, type TextareaHTMLAttributes } from 'react'
import { classNames } from '../class-names.ts'
import { Field } from './field.tsx'

export interface TextAreaProps extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange' | 'value'> {
  label: string
  value: string
  onChange: (value: string) => void
  hint?: ReactNode
  error?: string | null
  hideLabel?: boolean
  ref?: Ref<HTMLTextAreaElement>
}

/** A multi-line text field with label, hint and error. */
export function TextArea({ label, value, onChange, hint, error, hideLabel, id, className, ...rest }: TextAreaProps) {
  const ownId = useId()
  const inputId = id ?? ownId
  return (
    <Field
      id={inputId}
      label={label}
      hint={hint}
      error={error}
      hideLabel={hideLabel}
      required={rest.required}
      className={className}
    >
      {(described) => (
        <textarea
          id={inputId}
          value={value}
          rows={3}
          onChange={(event) => onChange(event.target.value)}
          className={classNames(
            'bg-surface text-ink block w-full resize-y rounded-md border px-3 py-2 focus-visible:outline-offset-0 disabled:opacity-60 max-sm:text-[1rem]',
            error ? 'border-danger' : 'border-line-strong hover:border-muted',
          )}
          {...described}
          {...rest}
        />
      )}
    </Field>
  )
}
