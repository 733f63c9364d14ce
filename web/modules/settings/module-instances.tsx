import { useState } from 'react'
import type { ModuleDetail } from '../../../contract/modules.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { InstancesDialog } from './instances-dialog.tsx'

interface ModuleInstancesProps {
  readonly module: ModuleDetail
  readonly runs: NonNullable<ModuleDetail['runs']>
}

/** Whether one process runs a module for all or each its own, and who says so, with a button to change it. */
export function ModuleInstances({ module, runs }: ModuleInstancesProps) {
  const [changing, setChanging] = useState(false)
  const source = runs.chosen !== null ? 'chosen' : runs.declared !== null ? 'declared' : 'default'
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>{t(`modules.instances_${runs.instances}`)}</span>
      <span className="text-muted text-sm">{t(`modules.instances_${source}`)}</span>
      <Button size="sm" onClick={() => setChanging(true)}>
        {t('modules.instances_change')}
      </Button>
      {changing && <InstancesDialog module={module} runs={runs} onClose={() => setChanging(false)} />}
    </div>
  )
}
