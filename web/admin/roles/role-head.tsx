import { useNavigate } from '@tanstack/react-router'
import { Copy, Ellipsis, Pencil, Trash2, Users } from 'lucide-react'
import { classNames } from '../../parts/class-names.ts'
import { t } from '../../text/i18n.ts'
import type { Role } from '../../modules/tools/tool-rules.ts'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { Menu, type MenuEntry } from '../../parts/controls/menu.tsx'
import type { RoleDialog } from './role-dialogs.tsx'

interface RoleHeadProps {
  readonly role: Role
  /** A narrow screen shows this role's column. */
  readonly shown: boolean
  onDialog(dialog: RoleDialog): void
}

/** The header of a role's column: its name, number of users and actions. */
export function RoleHead({ role, shown, onDialog }: RoleHeadProps) {
  const navigate = useNavigate()
  const entries: MenuEntry[] = [
    {
      label: t('roles.show_people'),
      icon: Users,
      onSelect: () => void navigate({ to: '/admin/$page', params: { page: 'users' }, search: { role: role.role_id } }),
    },
    { label: t('roles.copy'), icon: Copy, onSelect: () => onDialog({ kind: 'create', from: role }) },
    ...(role.builtin
      ? []
      : [
          { label: t('roles.rename'), icon: Pencil, onSelect: () => onDialog({ kind: 'rename', role }) },
          {
            label: t('action.delete'),
            icon: Trash2,
            danger: true,
            onSelect: () => onDialog({ kind: 'delete', role }),
          } as const,
        ]),
  ]
  return (
    <th
      scope="col"
      className={classNames(
        'bg-sunken border-line sticky top-0 z-2 min-w-42 border-b max-md:w-42 px-3 py-2 align-top font-medium',
        !shown && 'max-md:hidden',
      )}
    >
      <span className="flex items-start gap-1">
        <span className="min-w-0 flex-1">
          <span className="block break-words">{role.name}</span>
          <span className="text-muted block text-xs font-normal">
            {t('roles.people', { count: role.users })}
            {role.admin && ` · ${t('roles.administers')}`}
          </span>
        </span>
        <Menu
          align="end"
          entries={entries}
          trigger={<IconButton label={t('roles.menu', { name: role.name })} icon={Ellipsis} size="sm" />}
        />
      </span>
    </th>
  )
}
