import { useNavigate } from '@tanstack/react-router'
import { Copy, Pencil, Trash2, UserRoundCog, Users } from 'lucide-react'
import type { MenuEntry } from '../../parts/controls/menu.tsx'
import type { Role } from '../../rules/tool-rules.ts'
import { t } from '../../text/i18n.ts'
import type { RoleDialog } from './role-dialogs.tsx'

/** What can be done with a role: the menu in the head of its column. */
export function useRoleMenu(onDialog: (dialog: RoleDialog) => void): (role: Role) => readonly MenuEntry[] {
  const navigate = useNavigate()
  return (role) => [
    ...(role.everybody
      ? []
      : [
          {
            label: t('roles.show_people'),
            icon: Users,
            onSelect: () =>
              void navigate({ to: '/admin/$page', params: { page: 'users' }, search: { role: role.role_id } }),
          },
        ]),
    { label: t('roles.copy'), icon: Copy, onSelect: () => onDialog({ kind: 'create', from: role }) },
    ...(role.admin || role.everybody
      ? []
      : [
          {
            label: t('elevation.menu'),
            icon: UserRoundCog,
            onSelect: () => onDialog({ kind: 'elevatable', role }),
          },
        ]),
    ...(role.builtin
      ? []
      : ([
          { label: t('roles.rename'), icon: Pencil, onSelect: () => onDialog({ kind: 'rename', role }) },
          { label: t('action.delete'), icon: Trash2, danger: true, onSelect: () => onDialog({ kind: 'delete', role }) },
        ] as const)),
  ]
}
