import { SelectField } from '../../parts/controls/select-field.tsx'
import { TextArea } from '../../parts/controls/text-area.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { t } from '../../text/i18n.ts'
import type { ConditionDraft } from './condition-draft.ts'
import type { ToolArgument } from './tool-arguments.ts'

interface ConditionValueProps {
  readonly draft: ConditionDraft
  readonly argument: ToolArgument | undefined
  readonly name: string
  onChange(next: ConditionDraft): void
}

/** What an argument may be: a value, several, one a line, or the ends of a range. */
export function ConditionValue({ draft, argument, name, onChange }: ConditionValueProps) {
  const { kind, type, text, min, max } = draft
  const set = (next: Partial<ConditionDraft>): void => onChange({ ...draft, ...next })
  const label = t('condition.value_of', { name })
  const numeric = type === 'number' ? ({ inputMode: 'decimal' } as const) : {}
  if (kind === 'absent' || kind === 'argv') return null
  if (kind === 'range')
    return (
      <div className="grid grid-cols-2 gap-2">
        <TextField
          label={t('condition.from')}
          inputMode="decimal"
          value={min}
          onChange={(value) => set({ min: value })}
          autoComplete="off"
        />
        <TextField
          label={t('condition.to')}
          inputMode="decimal"
          value={max}
          onChange={(value) => set({ max: value })}
          autoComplete="off"
        />
      </div>
    )
  if (kind !== 'is') {
    const hint = t(
      kind === 'in' ? 'condition.in_hint' : kind === 'under' ? 'condition.under_hint' : 'condition.host_hint',
    )
    const rows = Math.min(8, Math.max(2, text.split('\n').length))
    return (
      <TextArea
        label={label}
        hideLabel
        hint={hint}
        value={text}
        onChange={(value) => set({ text: value })}
        rows={rows}
        spellCheck={false}
        className="[&_textarea]:font-mono [&_textarea]:text-sm"
      />
    )
  }
  if (type === 'null') return <code className="pt-2 text-sm">null</code>
  const choices = type === 'boolean' ? ['true', 'false'] : (argument?.choices ?? [])
  if (choices.length > 0 && (text === '' || choices.includes(text)))
    return (
      <SelectField
        label={label}
        hideLabel
        value={text}
        onChange={(value) => set({ text: value })}
        options={['', ...choices]
          .filter((value) => value !== '' || text === '')
          .map((value) => ({ value, label: value }))}
      />
    )
  return (
    <TextField
      label={label}
      hideLabel
      value={text}
      onChange={(value) => set({ text: value })}
      autoComplete="off"
      spellCheck={false}
      className="[&_input]:font-mono [&_input]:text-sm"
      {...numeric}
    />
  )
}
