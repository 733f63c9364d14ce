import { t } from '../../text/i18n.ts'
import { PASSWORD_MIN, passwordStrength } from './password-strength.ts'

const LOOK = {
  too_short: { bars: 0, colour: 'bg-line-strong' },
  weak: { bars: 1, colour: 'bg-danger' },
  fair: { bars: 2, colour: 'bg-warn' },
  good: { bars: 3, colour: 'bg-ok' },
}

/** Password strength while typing: three bars and a word. */
export function PasswordMeter({ password, username }: { password: string; username: string }) {
  const strength = passwordStrength(password, username)
  const { bars, colour } = LOOK[strength]
  const missing = PASSWORD_MIN - [...password].length
  const word = strength === 'too_short' ? t('password.too_short', { count: missing }) : t(`password.${strength}`)
  return (
    <span className="mt-2 flex items-center gap-3">
      <span aria-hidden className="grid flex-1 grid-cols-3 gap-1">
        {[1, 2, 3].map((bar) => (
          <span key={bar} className={`h-1 rounded-full transition-colors ${bar <= bars ? colour : 'bg-hover'}`} />
        ))}
      </span>
      <span aria-live="polite" className="text-ink min-w-24 text-right text-sm">
        {password === '' ? '' : word}
      </span>
    </span>
  )
}
