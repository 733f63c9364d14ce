import { Eye, EyeOff } from 'lucide-react'
import { useId, useState, type InputHTMLAttributes, type ReactNode, type Ref } from 'react'
import { classNames } from '../class-names.ts'
import { t } from '../../text/i18n.ts'
import { Field } from './field.tsx'

export interface TextFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value' | 'size'> {
  label: string
  value: string
  onChange: (value: string) => void
  hint?: ReactNode
  /** What is wrong with the value; announced when it appears. */
  error?: string | null
  /** The label is visually hidden. */
  hideLabel?: boolean
  ref?: Ref<HTMLInputElement>
}

/** A text field with label, hint and error. A password can be revealed. */
export function TextField({
  label,
  value,
  onChange,
  hint,
  error,
  hideLabel,
  type = 'text',
  id,
  className,
  ...rest
}: TextFieldProps) {
  const ownId = useId()
  const [shown, setShown] = useState(false)
  const inputId = id ?? ownId
  const password = type === 'password'
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
        <span className="relative block">
          <input
            id={inputId}
            type={password && shown ? 'text' : type}
            value={value}
            onChange={(event) => onChange(event.target.value)}
            className={classNames(
              'bg-surface text-ink block h-9 w-full rounded-md border px-3 transition-colors duration-100 focus-visible:outline-offset-0 disabled:opacity-60 max-sm:text-[1rem]',
              error ? 'border-danger' : 'border-line-strong hover:border-muted',
              password && 'pr-10',
            )}
            {...described}
            {...rest}
          />
          {password && (
            <button
              type="button"
              aria-label={t(shown ? 'field.hide_password' : 'field.show_password')}
              onClick={() => setShown(!shown)}
              className="text-muted hover:text-ink absolute inset-y-0 right-0 inline-flex w-9 items-center justify-center rounded-md"
            >
              {shown ? <EyeOff aria-hidden className="size-4" /> : <Eye aria-hidden className="size-4" />}
            </button>
          )}
        </span>
      )}
    </Field>
  )
}
