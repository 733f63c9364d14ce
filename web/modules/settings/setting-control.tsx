import type { SettingField } from '../../../contract/modules.ts'
import { formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { CheckField } from '../../parts/controls/check-field.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { TextArea } from '../../parts/controls/text-area.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { ListField } from './list-field.tsx'
import { SecretField } from './secret-field.tsx'
import { shownValue, type SettingDraft, type StoredValue } from './settings-draft.ts'

interface SettingControlProps {
  readonly field: SettingField
  readonly stored: StoredValue
  readonly draft: SettingDraft | undefined
  readonly error: string | null
  onChange(draft: SettingDraft | null): void
}

/** The control for one setting, by type. All its texts come from the module and are shown only as text. */
export function SettingControl({ field, stored, draft, error, onChange }: SettingControlProps) {
  const { type, multiple, multiline } = field
  const label = field.required ? field.title : t('modules.optional', { name: field.title })
  const hint = hintOf(field)
  const path = type === 'directory' || type === 'file'
  if (field.sensitive)
    return <SecretField {...{ field, label: field.title, hint, error, stored, draft }} onChange={onChange} />
  const value = draft ?? shownValue(field, stored)
  if (typeof value === 'boolean')
    return <CheckField label={field.title} hint={hint} error={error} checked={value} onChange={onChange} />
  if (typeof value !== 'string' || multiple)
    return (
      <ListField
        label={label}
        hint={hint}
        error={error}
        value={typeof value === 'string' ? [value] : value}
        mono={path}
        onChange={onChange}
      />
    )
  if (field.enum !== undefined) {
    const known = field.enum.some((option) => option.value === value)
    return (
      <SelectField
        label={label}
        hint={hint}
        error={error}
        value={value}
        onChange={onChange}
        options={[
          ...(known && field.required ? [] : [{ value: known ? '' : value, label: t('modules.nothing_chosen') }]),
          ...field.enum,
        ]}
      />
    )
  }
  if (multiline) return <TextArea label={label} hint={hint} error={error} value={value} onChange={onChange} rows={5} />
  return (
    <TextField
      label={label}
      hint={hint}
      error={error}
      value={value}
      onChange={onChange}
      inputMode={type === 'number' ? 'decimal' : undefined}
      autoComplete="off"
      spellCheck={path || type === 'number' ? false : undefined}
      className={path ? '[&_input]:font-mono' : type === 'number' ? 'max-w-56' : undefined}
    />
  )
}

/** The module's description, then the limits and the note on paths. */
function hintOf({ description, type, min, max }: SettingField): string | null {
  const limits =
    min !== undefined && max !== undefined
      ? t('modules.limit_both', { min: formatNumber(min), max: formatNumber(max) })
      : min !== undefined
        ? t('modules.limit_min', { min: formatNumber(min) })
        : max !== undefined
          ? t('modules.limit_max', { max: formatNumber(max) })
          : ''
  const path = type === 'directory' || type === 'file' ? t('modules.path_hint') : ''
  const text = [description, limits, path].filter(Boolean).join(' ')
  return text === '' ? null : text
}
