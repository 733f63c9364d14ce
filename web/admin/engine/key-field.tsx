import { KeyRound } from 'lucide-react'
import { formatDateTime } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'

interface KeyFieldProps {
  /** The stored key; null when none belongs to the engine in the form. */
  readonly stored: { readonly updated_at: string | null } | null
  /** undefined: the stored key stays. */
  readonly value: string | undefined
  readonly needed: boolean
  onChange(value: string | undefined): void
}

/** The key of the engine: it can be replaced and removed, but never read. */
export function KeyField({ stored, value, needed, onChange }: KeyFieldProps) {
  if (stored !== null && value === undefined) {
    return (
      <div>
        <p className="mb-1.5 font-medium">{t('engine.key')}</p>
        <div className="border-line bg-sunken flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-md border px-3 py-2">
          <span className="flex items-center gap-2">
            <KeyRound aria-hidden className="text-muted size-4 shrink-0" />
            {stored.updated_at === null
              ? t('engine.key_set')
              : t('engine.key_set_at', { time: formatDateTime(stored.updated_at) })}
          </span>
          <Button size="sm" onClick={() => onChange('')}>
            {t('engine.key_replace')}
          </Button>
        </div>
      </div>
    )
  }
  return (
    <div>
      <TextField
        label={t('engine.key')}
        type="password"
        value={value ?? ''}
        onChange={onChange}
        autoComplete="new-password"
        hint={t(stored !== null ? 'engine.key_hint_replace' : needed ? 'engine.key_hint' : 'engine.key_hint_optional')}
        autoFocus={stored !== null}
      />
      {stored !== null && (
        <Button size="sm" variant="ghost" className="mt-1" onClick={() => onChange(undefined)}>
          {t('engine.key_keep')}
        </Button>
      )}
    </div>
  )
}
