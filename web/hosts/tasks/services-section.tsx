import { Pause, Play, Power, PowerOff, RotateCw, Settings2 } from 'lucide-react'
import { useState } from 'react'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { Status } from '../../parts/feedback/status.tsx'
import type { Tone } from '../../parts/feedback/tone.ts'
import { t } from '../../text/i18n.ts'
import type { HostSectionProps } from './host-section.ts'
import { LookTable } from './look-table.tsx'
import { LookView } from './look-view.tsx'
import type { LookRow } from './look-query.ts'
import type { Operation } from './operation.ts'

const STATES = ['all', 'active', 'failed', 'inactive'] as const
const LOOK: Readonly<Partial<Record<string, Tone>>> = {
  active: 'ok',
  failed: 'danger',
  activating: 'active',
  reloading: 'active',
  deactivating: 'active',
}

/** The services of the machine, those in trouble at the top unless somebody sorts them. */
export function ServicesSection({ host }: HostSectionProps) {
  const [state, setState] = useState<string>('all')
  return (
    <LookView
      host={host}
      tool="services"
      args={{ state, limit: 1000 }}
      actions={
        <SelectField
          label={t('hosts.state')}
          hideLabel
          value={state}
          onChange={setState}
          options={STATES.map((value) => ({ value, label: t(`hosts.services_${value}`) }))}
        />
      }
    >
      {({ tables: [table] }) =>
        table && (
          <LookTable
            table={{ ...table, rows: table.rows.toSorted((a, b) => rank(a) - rank(b)) }}
            columns={['unit', 'state', 'at_boot', 'since', 'memory', 'description']}
            cells={{ state: stateOf }}
            operations={(row) => unitOperations(String(row['unit']), row)}
            empty={t('hosts.services_none')}
          />
        )
      }
    </LookView>
  )
}

function rank({ state }: LookRow): number {
  return state === 'failed' ? 0 : state === 'active' ? 1 : 2
}

/** The state of a unit with its detail, as systemd says it. */
export function stateOf({ state, detail }: LookRow) {
  const text =
    detail === undefined || detail === null || detail === '' || detail === state ? '' : ` (${String(detail)})`
  return <Status tone={LOOK[String(state)] ?? 'neutral'} label={`${String(state)}${text}`} />
}

/** What can be done with a unit in this state. */
export function unitOperations(unit: string, { state, at_boot }: LookRow): readonly Operation[] {
  const one = (action: 'start' | 'stop' | 'restart' | 'reload' | 'enable' | 'disable', icon: Operation['icon']) => ({
    label: t(`hosts.unit_${action}`),
    title: `${t(`hosts.unit_${action}`)}: ${unit}`,
    icon,
    tool: 'service',
    args: { unit, action },
    danger: action === 'stop',
  })
  const runs = state === 'active' || state === 'activating' || state === 'reloading'
  return [
    ...(runs ? [one('restart', RotateCw), one('reload', Settings2), one('stop', Pause)] : [one('start', Play)]),
    ...(at_boot === 'enabled' ? [one('disable', PowerOff)] : at_boot === 'disabled' ? [one('enable', Power)] : []),
  ]
}
