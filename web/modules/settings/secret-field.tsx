import { KeyRound } from 'lucide-react'
import type { ReactNode } from 'react'
import type { SettingField } from '../../../contract/modules.ts'
import { formatDateTime } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { TextArea } from '../../parts/controls/text-area.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { ListField } from './list-field.tsx'
import { isSecretState, type SettingDraft, type StoredValue } from './settings-draft.ts'

interface SecretFieldProps {
  readonly field: SettingField
  readonly label: string
  readonly hint: ReactNode
  readonly error: string | null
  readonly stored: StoredValue
  /** Undefined: unchanged. Empty: cleared. */
  readonly draft: SettingDraft | undefined
  /** Null: keep the stored value after all. */
  onChange(draft: SettingDraft | null): void
}

/** A secret: it can be replaced and cleared, never read. */
export function SecretField({ field, label, hint, error, stored, draft, onChange }: SecretFieldProps) {
  const state = isSecretState(stored) && stored.configured ? stored : null
  const empty: SettingDraft = field.multiple ? [''] : ''
  if (state !== null && draft === undefined) {
    return (
      <div>
        <p className="mb-1.5 font-medium">{label}</p>
        <div className="border-line bg-sunken flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-md border px-3 py-2">
          <span className="flex items-center gap-2">
            <KeyRound aria-hidden className="text-muted size-4 shrink-0" />
            {state.updated_at === null
              ? t('modules.secret_set')
              : t('modules.secret_set_at', { time: formatDateTime(state.updated_at) })}
          </span>
          <span className="flex gap-2">
            <Button size="sm" onClick={() => onChange(empty)}>
              {t('modules.secret_replace')}
              <span className="sr-only"> {label}</span>
            </Button>
            {!field.required && (
              <Button size="sm" variant="ghost" onClick={() => onChange(field.multiple ? [] : '')}>
                {t('modules.secret_clear')}
                <span className="sr-only"> {label}</span>
              </Button>
            )}
          </span>
        </div>
        {hint && <div className="text-muted mt-1.5 text-sm">{hint}</div>}
      </div>
    )
  }
  const shared = { label, hint, error }
  const lines = Array.isArray(draft) ? draft : ['']
  const text = typeof draft === 'string' ? draft : ''
  return (
    <div>
      {field.multiple ? (
        <ListField {...shared} secret value={lines} onChange={onChange} />
      ) : field.multiline ? (
        <TextArea
          {...shared}
          value={text}
          onChange={onChange}
          rows={4}
          spellCheck={false}
          autoComplete="off"
          className="[&_textarea]:font-mono"
        />
      ) : (
        <TextField {...shared} type="password" value={text} onChange={onChange} autoComplete="new-password" />
      )}
      {state !== null && (
        <p className="mt-1.5 flex flex-wrap items-center gap-2 text-sm">
          {t(
            text === '' && lines.every((line) => line === '')
              ? 'modules.secret_will_clear'
              : 'modules.secret_will_change',
          )}
          <Button size="sm" variant="ghost" onClick={() => onChange(null)}>
            {t('modules.secret_keep')}
            <span className="sr-only"> {label}</span>
          </Button>
        </p>
      )}
    </div>
  )
}
