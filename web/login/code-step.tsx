import { type FormEvent, type ReactNode, useState } from 'react'
import { t } from '../text/i18n.ts'
import { Button } from '../parts/controls/button.tsx'
import { Door } from '../parts/layout/door.tsx'
import { TextField } from '../parts/controls/text-field.tsx'

interface CodeStepProps {
  readonly code: string
  onChange(code: string): void
  onSubmit(event: FormEvent): void
  readonly busy: boolean
  /** Error of the last code. */
  readonly failure: ReactNode
  onBack(): void
}

/** The second step of signing in: a code from the app, or a backup code. */
export function CodeStep({ code, onChange, onSubmit, busy, failure, onBack }: CodeStepProps) {
  const [backup, setBackup] = useState(false)
  return (
    <Door title={t('login.code_title')} intro={t(backup ? 'login.backup_text' : 'login.code_text')}>
      <form onSubmit={onSubmit} className="space-y-4">
        {failure}
        <TextField
          key={backup ? 'backup' : 'app'}
          label={t(backup ? 'login.backup_code' : 'login.code')}
          value={code}
          onChange={onChange}
          inputMode={backup ? 'text' : 'numeric'}
          autoComplete={backup ? 'off' : 'one-time-code'}
          autoCapitalize="none"
          spellCheck={false}
          maxLength={40}
          autoFocus
          required
        />
        <Button type="submit" variant="primary" className="w-full" busy={busy}>
          {t('login.submit')}
        </Button>
        <div className="flex flex-wrap justify-between gap-2">
          <Button variant="ghost" size="sm" onClick={onBack}>
            {t('action.back')}
          </Button>
          <Button
            variant="ghost"
            size="sm"
            onClick={() => {
              onChange('')
              setBackup(!backup)
            }}
          >
            {t(backup ? 'login.use_app' : 'login.use_backup')}
          </Button>
        </div>
      </form>
    </Door>
  )
}
