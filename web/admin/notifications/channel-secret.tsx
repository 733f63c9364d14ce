import { formatDateTime } from '../../text/format.ts'
import { type MessageKey, t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'

interface ChannelSecretProps {
  readonly label: string
  readonly hint: MessageKey | undefined
  readonly stored: { readonly updated_at: string | null } | null
  /** undefined: the stored one stays. */
  readonly value: string | undefined
  readonly error: string | null
  onChange(value: string | undefined): void
}

/** Password, token or signing secret: it can be replaced and removed, but never read. */
export function ChannelSecret({ label, hint, stored, value, error, onChange }: ChannelSecretProps) {
  if (stored !== null && value === undefined)
    return (
      <div>
        <p className="mb-1.5 font-medium">{label}</p>
        <div className="border-line bg-sunken flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-md border px-3 py-2">
          <span>{t('engine.key_set_at', { time: formatDateTime(stored.updated_at ?? '') })}</span>
          <Button size="sm" onClick={() => onChange('')}>
            {t('channels.replace')}
          </Button>
        </div>
      </div>
    )
  return (
    <TextField
      label={label}
      type="password"
      value={value ?? ''}
      onChange={onChange}
      error={error}
      hint={[...(hint === undefined ? [] : [t(hint)]), t('channels.secret_hint')].join(' ')}
      autoComplete="new-password"
    />
  )
}
