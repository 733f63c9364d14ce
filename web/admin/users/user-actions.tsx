import { useNavigate } from '@tanstack/react-router'
import {
  Ban,
  CircleCheck,
  CircleHelp,
  Ellipsis,
  KeyRound,
  Link2,
  Link2Off,
  MonitorSmartphone,
  Pencil,
  ScrollText,
  Trash2,
} from 'lucide-react'
import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { t } from '../../text/i18n.ts'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { Menu, type MenuEntry } from '../../parts/controls/menu.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import type { UserDialog } from './user-dialogs.tsx'
import { useUserChange } from './use-user-change.ts'
import { nameOf, type User } from './users-query.ts'

interface UserMenuProps {
  readonly user: User
  onDialog(dialog: UserDialog): void
}

/** Everything that an administrator can do with a user. Actions that one click cannot undo ask first. */
export function UserActions({ user, onDialog }: UserMenuProps) {
  const navigate = useNavigate()
  const change = useUserChange()
  const params = { user_id: user.user_id }
  const open = (kind: Exclude<UserDialog['kind'], 'link'>) => () => onDialog({ kind, user })
  const failed = (error: unknown): void => toast({ text: explainError(error), tone: 'danger' })
  const enable = (): void =>
    change.mutate(
      {
        run: () => call('PATCH /api/admin/users/{user_id}', { params, body: { disabled: false } }),
        done: t('users.enabled', { name: nameOf(user) }),
      },
      { onError: failed },
    )
  const revoke = (): void =>
    change.mutate(
      {
        run: () => call('DELETE /api/admin/users/{user_id}/invite', { params }),
        done: t('users.link_revoked'),
      },
      { onError: failed },
    )
  const entries: MenuEntry[] = [
    { label: t('users.edit'), icon: Pencil, onSelect: open('edit') },
    ...(user.disabled
      ? []
      : [{ label: t(user.password ? 'users.reset' : 'users.invite'), icon: Link2, onSelect: open('invite') }]),
    ...(user.invited_until === null ? [] : [{ label: t('users.revoke_link'), icon: Link2Off, onSelect: revoke }]),
    { label: t('users.sessions'), icon: MonitorSmartphone, onSelect: open('sessions') },
    ...(user.second_factor
      ? [{ label: t('users.remove_second_factor'), icon: KeyRound, onSelect: open('second_factor') }]
      : []),
    'separator',
    {
      label: t('users.explain'),
      icon: CircleHelp,
      onSelect: () => void navigate({ to: '/admin/$page', params: { page: 'roles' }, search: { user: user.username } }),
    },
    {
      label: t('users.show_audit'),
      icon: ScrollText,
      onSelect: () => void navigate({ to: '/admin/$page', params: { page: 'audit' }, search: { user: user.user_id } }),
    },
    'separator',
    user.disabled
      ? { label: t('users.enable'), icon: CircleCheck, onSelect: enable }
      : { label: t('users.disable'), icon: Ban, onSelect: open('disable') },
    { label: t('users.delete'), icon: Trash2, danger: true, onSelect: open('delete') },
  ]
  return (
    <Menu
      align="end"
      entries={entries}
      trigger={<IconButton label={t('users.menu', { name: nameOf(user) })} icon={Ellipsis} className="-mr-2" />}
    />
  )
}
