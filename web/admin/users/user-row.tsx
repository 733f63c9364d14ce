import { KeyRound } from 'lucide-react'
import { t } from '../../text/i18n.ts'
import { Badge } from '../../parts/feedback/badge.tsx'
import { RelativeTime } from '../../parts/feedback/relative-time.tsx'
import { Status } from '../../parts/feedback/status.tsx'
import type { UserDialog } from './user-dialogs.tsx'
import { UserActions } from './user-actions.tsx'
import { UserStatus } from './user-status.tsx'
import { nameOf, type User } from './users-query.ts'

interface UserRowProps {
  readonly user: User
  onDialog(dialog: UserDialog): void
}

/** One user: name, role, sign-in methods, last activity and actions. */
export function UserRow({ user, onDialog }: UserRowProps) {
  return (
    <li className="flex items-start gap-3 px-4 py-3 lg:items-center">
      <div className="grid min-w-0 flex-1 gap-x-4 gap-y-1 lg:grid-cols-[minmax(8rem,1.5fr)_minmax(6rem,1fr)_minmax(9rem,1fr)_12rem] lg:items-center">
        <div className="min-w-0">
          <p className="font-medium break-words">{nameOf(user)}</p>
          {nameOf(user) !== user.username && <p className="text-muted text-sm break-all">{user.username}</p>}
        </div>
        <p>
          <Badge className="max-w-full truncate">{user.role}</Badge>
        </p>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <UserStatus user={user} />
          {user.second_factor && <Status tone="neutral" icon={KeyRound} label={t('users.second_factor')} />}
        </div>
        <p className="text-muted text-sm">
          {user.last_seen_at === null ? (
            t('users.never_seen')
          ) : (
            <>
              {t('users.last_seen')} <RelativeTime at={user.last_seen_at} />
            </>
          )}
        </p>
      </div>
      <UserActions user={user} onDialog={onDialog} />
    </li>
  )
}
