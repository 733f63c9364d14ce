import { Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'

interface ListFieldProps {
  readonly label: string
  readonly hint: ReactNode
  readonly error: string | null
  readonly value: readonly string[]
  /** The lines are passwords. */
  readonly secret?: boolean
  readonly mono?: boolean
  onChange(value: readonly string[]): void
}

/** A list of texts, one per line. */
export function ListField({ label, hint, error, value, secret = false, mono = false, onChange }: ListFieldProps) {
  const [added, setAdded] = useState(false)
  const add = (): void => {
    setAdded(true)
    onChange([...value, ''])
  }
  return (
    <fieldset className="space-y-2">
      <legend className="mb-1.5 font-medium">{label}</legend>
      {value.map((line, index) => (
        <div key={index} className="flex items-center gap-2">
          <TextField
            label={t('modules.list_item', { name: label, number: index + 1 })}
            hideLabel
            type={secret ? 'password' : 'text'}
            value={line}
            onChange={(next) => onChange(value.map((one, at) => (at === index ? next : one)))}
            autoComplete="off"
            spellCheck={false}
            autoFocus={added && index === value.length - 1}
            className={mono ? 'min-w-0 flex-1 [&_input]:font-mono' : 'min-w-0 flex-1'}
          />
          <IconButton
            label={t('modules.list_remove', { name: label, number: index + 1 })}
            icon={Trash2}
            onClick={() => onChange(value.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <Button size="sm" icon={Plus} onClick={add}>
        {t('modules.list_add')}
        <span className="sr-only"> {label}</span>
      </Button>
      {hint && <div className="text-muted text-sm break-words">{hint}</div>}
      <div role="alert">{error !== null && <p className="text-danger text-sm">{error}</p>}</div>
    </fieldset>
  )
}
