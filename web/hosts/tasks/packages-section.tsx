import { ArrowUp, Lock, PackagePlus, RefreshCw, Trash2, Unlock, Wrench } from 'lucide-react'
import { useState } from 'react'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { t } from '../../text/i18n.ts'
import type { HostSectionProps } from './host-section.ts'
import { LookTable } from './look-table.tsx'
import { LookView } from './look-view.tsx'
import type { Operation } from './operation.ts'
import { OperationButton, OperationMenu } from './operation-buttons.tsx'

const SHOWN = ['upgradable', 'installed'] as const
type Action = 'install' | 'upgrade' | 'remove' | 'hold' | 'unhold' | 'refresh' | 'repair'

/** Packages of which there are newer versions, and all that are installed. */
export function PackagesSection({ host }: HostSectionProps) {
  const [show, setShow] = useState<string>('upgradable')
  return (
    <LookView
      host={host}
      tool="packages"
      args={{ show, limit: 1000 }}
      actions={
        <>
          <SelectField
            label={t('hosts.packages_show')}
            hideLabel
            value={show}
            onChange={setShow}
            options={SHOWN.map((value) => ({ value, label: t(`hosts.packages_${value}`) }))}
          />
          <OperationButton operation={one('refresh', RefreshCw)} />
          <OperationMenu about={t('hosts.tab_packages')} operations={[install(), one('repair', Wrench)]} />
        </>
      }
    >
      {({ tables: [table] }) =>
        table && (
          <LookTable
            key={show}
            table={table}
            columns={show === 'upgradable' ? ['name', 'now', 'later', 'origin'] : ['name', 'version', 'size', 'held']}
            operations={({ name, held }) => ofPackage(String(name), show === 'upgradable', held === true)}
            actions={
              show === 'upgradable' && table.rows.length > 0 && <OperationButton operation={one('upgrade', ArrowUp)} />
            }
            empty={t(show === 'upgradable' ? 'hosts.packages_current' : 'hosts.packages_none')}
          />
        )
      }
    </LookView>
  )
}

/** About all packages, unless one is named. */
function one(action: Action, icon: Operation['icon'], name?: string): Operation {
  const label = t(action === 'upgrade' && name === undefined ? 'hosts.package_upgrade_all' : `hosts.package_${action}`)
  return {
    label,
    title: name === undefined ? label : `${label}: ${name}`,
    icon,
    tool: 'package',
    args: { action, ...(name !== undefined && { names: [name] }) },
    danger: action === 'remove',
  }
}

function install(): Operation {
  const label = t('hosts.package_install')
  const field = { name: 'names', label: t('hosts.package_names'), hint: t('hosts.package_names_hint') }
  return {
    ...one('install', PackagePlus),
    label,
    fields: [{ ...field, kind: 'list', placeholder: 'nginx curl=8.5.0' }],
  }
}

function ofPackage(name: string, upgradable: boolean, held: boolean): readonly Operation[] {
  return [
    ...(upgradable ? [one('upgrade', ArrowUp, name)] : []),
    held ? one('unhold', Unlock, name) : one('hold', Lock, name),
    one('remove', Trash2, name),
  ]
}
