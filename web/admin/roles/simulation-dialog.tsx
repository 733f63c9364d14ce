import { useState } from 'react'
import { t } from '../../text/i18n.ts'
import type { Role } from '../../modules/tools/tool-rules.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { Simulation } from './simulation.tsx'

const DAYS = ['7', '30', '90', '365'] as const

interface SimulationDialogProps {
  /** Roles with unsaved rules. */
  readonly roles: readonly Role[]
  onClose(): void
}

/** Shows what the unsaved rules would have decided for past calls. Saves nothing. */
export function SimulationDialog({ roles, onClose }: SimulationDialogProps) {
  const [days, setDays] = useState('30')
  const [roleId, setRoleId] = useState(roles[0]?.role_id ?? '')
  const role = roles.find(({ role_id }) => role_id === roleId) ?? roles[0]
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('roles.simulation_title')}
      description={t('roles.simulation_text')}
      size="lg"
      actions={<Button onClick={onClose}>{t('dialog.close')}</Button>}
    >
      <div className="space-y-4">
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
    </Dialog>
  )
}
