import { useState } from 'react'
import type { ModuleDetail } from '../../../contract/modules.ts'
import { formatBytes } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { MemoryLimitDialog } from './memory-limit-dialog.tsx'

const MIB = 1024 * 1024

interface MemoryLimitProps {
  readonly module: ModuleDetail
  readonly memory: NonNullable<ModuleDetail['memory']>
}

/** A module's memory use and limit, with a button to change the limit. */
export function MemoryLimit({ module, memory }: MemoryLimitProps) {
  const [changing, setChanging] = useState(false)
  const limit = formatBytes(memory.limit)
  const all = formatBytes(memory.policy_mib * MIB)
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>
        {memory.used === null
          ? t('modules.memory_at_most', { limit })
          : t('modules.memory_of', { used: formatBytes(memory.used), limit })}
      </span>
      <span className="text-muted text-sm">
        {memory.own_mib === null ? t('modules.memory_as_all') : t('modules.memory_own', { all })}
      </span>
      <Button size="sm" onClick={() => setChanging(true)}>
        {t('modules.memory_change')}
      </Button>
      {changing && <MemoryLimitDialog module={module} memory={memory} onClose={() => setChanging(false)} />}
    </div>
  )
}
