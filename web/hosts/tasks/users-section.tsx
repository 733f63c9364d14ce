import { KeyRound, Lock, Trash2, Unlock, UserMinus, UserPlus, Users } from 'lucide-react'
import { t } from '../../text/i18n.ts'
import type { HostSectionProps } from './host-section.ts'
import { LookTable } from './look-table.tsx'
import { LookView } from './look-view.tsx'
import type { Operation, OperationField } from './operation.ts'
import { OperationButton } from './operation-buttons.tsx'

type Action = 'create' | 'lock' | 'unlock' | 'groups' | 'ungroup' | 'key' | 'unkey' | 'delete'

/** The accounts of the machine, those of people first. Accounts of the system are only shown. */
export function UsersSection({ host }: HostSectionProps) {
  return (
    <LookView host={host} tool="users" args={{ limit: 1000 }} actions={<OperationButton operation={create()} />}>
      {({ tables: [table] }) =>
        table && (
          <LookTable
            table={table}
            columns={['name', 'full_name', 'uid', 'sign_in', 'groups', 'shell', 'home']}
            operations={({ name, person }) => (person === true ? ofPerson(String(name)) : [])}
            empty={t('hosts.users_none')}
          />
        )
      }
    </LookView>
  )
}

function one(name: string, action: Action, icon: Operation['icon'], fields?: readonly OperationField[]): Operation {
  const label = t(`hosts.user_${action}`)
  return {
    label,
    title: `${label}: ${name}`,
    icon,
    tool: 'user',
    args: { name, action },
    danger: action === 'lock' || action === 'delete',
    ...(fields && { fields }),
  }
}

function groups(optional: boolean): OperationField {
  return { name: 'groups', label: t('hosts.user_groups_names'), kind: 'list', placeholder: 'www-data', optional }
}

function create(): Operation {
  const label = t('hosts.user_create')
  return {
    label,
    title: label,
    icon: UserPlus,
    tool: 'user',
    args: { action: 'create' },
    fields: [{ name: 'name', label: t('hosts.user_name'), kind: 'text', placeholder: 'anna' }, groups(true)],
  }
}

function ofPerson(name: string): readonly Operation[] {
  const key: OperationField = {
    name: 'key',
    label: t('hosts.user_key_line'),
    kind: 'lines',
    placeholder: 'ssh-ed25519 AAAA…',
  }
  return [
    one(name, 'lock', Lock),
    one(name, 'unlock', Unlock),
    one(name, 'groups', Users, [groups(false)]),
    one(name, 'ungroup', UserMinus, [groups(false)]),
    one(name, 'key', KeyRound, [key]),
    one(name, 'unkey', KeyRound, [key]),
    one(name, 'delete', Trash2, [{ name: 'remove_home', label: t('hosts.user_remove_home'), kind: 'check' }]),
  ]
}
