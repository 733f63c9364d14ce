import type { KeyboardEvent } from 'react'
import type { Variable } from '../../contract/variables.ts'
import { HostField } from '../hosts/host-field.tsx'
import { t } from '../text/i18n.ts'
import { SelectField } from '../parts/controls/select-field.tsx'
import { TextArea } from '../parts/controls/text-area.tsx'
import { TextField } from '../parts/controls/text-field.tsx'

interface VariableFieldProps {
  readonly variable: Variable
  readonly value: string
  readonly error: string | null
  readonly autoFocus: boolean
  onChange(value: string): void
}

/** The control for one variable of a command, by type. Enter submits the form from each of them. */
export function VariableField({
  variable: { name, type, options },
  value,
  error,
  autoFocus,
  onChange,
}: VariableFieldProps) {
  if (type === 'choice') {
    return (
      <SelectField
        label={name}
        value={value}
        error={error}
        autoFocus={autoFocus}
        onChange={onChange}
        onKeyDown={submitByEnter}
        options={[
          ...(value === '' ? [{ value: '', label: t('commands.choose') }] : []),
          ...options.map((option) => ({ value: option, label: option })),
        ]}
      />
    )
  }
  if (type === 'host')
    return <HostField label={name} value={value} error={error} autoFocus={autoFocus} onChange={onChange} />
  const common = { label: name, value, error, autoFocus, onChange, autoComplete: 'off' }
  if (type === 'date') return <TextField {...common} type="date" />
  if (type === 'number') return <TextField {...common} inputMode="decimal" hint={t('commands.number_hint')} />
  return <TextArea {...common} rows={Math.min(Math.max(value.split('\n').length, 1), 8)} onKeyDown={submitByEnter} />
}

/** Multi-line boxes and selects do not submit natively. */
function submitByEnter(event: KeyboardEvent<HTMLTextAreaElement | HTMLSelectElement>): void {
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return
  event.preventDefault()
  event.currentTarget.form?.requestSubmit()
}
