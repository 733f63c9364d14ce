import { Ban, CircleCheck, KeyRound, Mail, type LucideIcon } from 'lucide-react'
import { formatDateTime } from '../../text/format.ts'
import { type MessageKey, t } from '../../text/i18n.ts'
import { Status } from '../../parts/feedback/status.tsx'
import type { Tone } from '../../parts/feedback/tone.ts'
import type { User } from './users-query.ts'

/** Whether a user can sign in and, if not, why. */
export function UserStatus({ user }: { readonly user: User }) {
  const { tone, icon, label } = look(user)
  return (
    <span
      title={
        user.invited_until === null ? undefined : t('users.link_until', { date: formatDateTime(user.invited_until) })
      }
    >
      <Status tone={tone} icon={icon} label={t(label)} />
    </span>
  )
}

function look({ disabled, password, invited_until: link }: User): { tone: Tone; icon: LucideIcon; label: MessageKey } {
  if (disabled) return { tone: 'danger', icon: Ban, label: 'users.is_disabled' }
  if (link !== null) return { tone: 'info', icon: Mail, label: password ? 'users.is_resetting' : 'users.is_invited' }
  return password
    ? { tone: 'ok', icon: CircleCheck, label: 'users.is_active' }
    : { tone: 'warn', icon: KeyRound, label: 'users.is_without_password' }
}
