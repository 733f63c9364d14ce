import { useId, useState } from 'react'
import { HOST_ARGUMENT, MACHINE_MODULE } from '../../contract/host-values.ts'
import { HostField } from '../hosts/host-field.tsx'
import { t } from '../text/i18n.ts'
import { SelectField } from '../parts/controls/select-field.tsx'
import { TextArea } from '../parts/controls/text-area.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import type { ArgumentField } from './argument-fields.ts'
import { recentValues } from './recent-values.ts'

interface ArgumentInputProps {
  /** Name of the tool: values are remembered for it. */
  readonly tool: string
  readonly field: ArgumentField
  readonly value: string
  readonly error: string | null
  readonly disabled: boolean
  onChange(value: string): void
  onLeave(): void
}

/** The control for one argument. */
export function ArgumentInput({ tool, field, value, error, disabled, onChange, onLeave }: ArgumentInputProps) {
  const listId = useId()
  // Stays so while the last line break is taken away: another control would lose the focus.
  const [lines, setLines] = useState(false)
  if (!lines && field.kind === 'text' && value.includes('\n')) setLines(true)
  const { name, title, kind, required, description, choices, choiceNames } = field
  const at = field.fallback === null ? -1 : choices.indexOf(field.fallback)
  const fallback = choiceNames[at] ?? field.fallback
  const common = {
    label: required ? t('tool_form.required_label', { name: title }) : title,
    value,
    error,
    disabled,
    onChange,
    onBlur: onLeave,
    'aria-required': required,
    'data-argument': name,
  }
  const help = [description, fallback === null ? '' : t('tool_form.fallback', { value: fallback })]
  const hint = help.filter((sentence) => sentence !== '').join(' · ')
  if (kind === 'choice' || kind === 'boolean') {
    const none = fallback === null ? t('tool_form.not_set') : t('tool_form.fallback', { value: fallback })
    const words =
      kind === 'choice' ? choices.map((choice, index) => ({ value: choice, label: choiceNames[index]! })) : booleans()
    const chosen = words.find((word) => word.value.toLowerCase() === plainBoolean(kind, value).toLowerCase())
    return (
      <SelectField
        {...common}
        hint={description}
        value={chosen?.value ?? ''}
        options={[{ value: '', label: none }, ...words]}
      />
    )
  }
  if (kind === 'list' || kind === 'json') {
    const format = t(kind === 'list' ? 'tool_form.list_hint' : 'tool_form.json_hint')
    return (
      <TextArea
        {...common}
        hint={[hint, format].filter((sentence) => sentence !== '').join(' · ')}
        // As many as there are, within bounds.
        rows={Math.min(8, Math.max(kind === 'list' ? 1 : 3, value.split('\n').length))}
        spellCheck={false}
        className="sm:col-span-2 [&_textarea]:font-mono [&_textarea]:text-sm"
      />
    )
  }
  if (kind === 'text' && name === HOST_ARGUMENT && tool.startsWith(`${MACHINE_MODULE}.`))
    return <HostField {...common} hint={hint} />
  // A field of one line would drop the others.
  if (kind === 'text' && lines)
    return <TextArea {...common} hint={hint} rows={4} spellCheck={false} className="sm:col-span-2" />
  const recent = kind === 'secret' ? [] : recentValues(tool, field)
  return (
    <div className={required ? 'sm:col-span-2' : undefined}>
      <TextField
        {...common}
        hint={hint}
        type={kind === 'secret' ? 'password' : 'text'}
        inputMode={kind === 'integer' ? 'numeric' : kind === 'number' ? 'decimal' : undefined}
        placeholder={fallback ?? undefined}
        autoComplete="off"
        spellCheck={false}
        list={recent.length > 0 ? listId : undefined}
      />
      {recent.length > 0 && (
        <datalist id={listId}>
          {recent.map((known) => (
            <option key={known} value={known} />
          ))}
        </datalist>
      )}
    </div>
  )
}

function booleans() {
  return [
    { value: 'true', label: t('tool_form.yes') },
    { value: 'false', label: t('tool_form.no') },
  ]
}

/** A boolean may be typed as several words. */
function plainBoolean(kind: ArgumentField['kind'], value: string): string {
  if (kind !== 'boolean') return value
  if (/^(true|yes|on)$/i.test(value)) return 'true'
  return /^(false|no|off)$/i.test(value) ? 'false' : value
}
