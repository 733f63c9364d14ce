import { useState } from 'react'
import { SelectField } from '../parts/controls/select-field.tsx'
import { t } from '../text/i18n.ts'
import { Simulation } from './simulation.tsx'
import type { Role } from './tool-rules.ts'

const DAYS = ['7', '30', '90', '365'] as const

/** What the unsaved rules of these roles would have decided for past calls. */
export function PastCalls({ roles }: { readonly roles: readonly Role[] }) {
  const [days, setDays] = useState('30')
  const [roleId, setRoleId] = useState('')
  const role = roles.find(({ role_id }) => role_id === roleId) ?? roles[0]
  return (
    <div className="space-y-4">
      <p className="text-muted">{t('roles.simulation_text')}</p>
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label={t('users.role')}
          value={role?.role_id ?? ''}
          onChange={setRoleId}
          options={roles.map(({ role_id, name }) => ({ value: role_id, label: name }))}
        />
        <SelectField
          label={t('roles.simulation_days')}
          value={days}
          onChange={setDays}
          options={DAYS.map((count) => ({ value: count, label: t('roles.days', { count: Number(count) }) }))}
        />
      </div>
      {role !== undefined && <Simulation role={role} days={Number(days)} />}
    </div>
  )
}
