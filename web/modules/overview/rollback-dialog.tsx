import { useState } from 'react'
import type { ModuleDetail } from '../../../contract/modules.ts'
import { call } from '../../client/api.ts'
import { formatDateTime } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { ConfirmDialog } from '../../parts/layout/confirm-dialog.tsx'
import type { useModuleChange } from '../list/use-module-change.ts'

interface RollbackDialogProps {
  readonly module: ModuleDetail
  readonly change: ReturnType<typeof useModuleChange>
  /** The version to roll back to; otherwise chosen here, starting with the newest kept one. */
  readonly digest?: string
  onClose(): void
}

/** Asks before rolling back to an older version. */
export function RollbackDialog({ module, change, digest, onClose }: RollbackDialogProps) {
  const older = module.versions.filter((version) => !version.current)
  const [chosen, setChosen] = useState(digest ?? older[0]?.digest ?? '')
  const { display_name: name } = module
  const version = older.find((one) => one.digest === chosen)?.version ?? ''
  return (
    <ConfirmDialog
      title={t('modules.rollback_title', { name })}
      verb={t('modules.rollback')}
      onClose={onClose}
      onConfirm={() =>
        change.mutate({
          id: 'rollback',
          failed: t('modules.rollback_failed', { name }),
          done: t('modules.rolled_back', { name, version }),
          run: () =>
            call('POST /api/modules/{module_name}/rollback', {
              params: { module_name: module.name },
              body: { digest: chosen },
            }),
        })
      }
      text={
        <div className="space-y-4">
          <p>{t('modules.rollback_text', { version: module.version })}</p>
          <SelectField
            label={t('modules.rollback_to')}
            value={chosen}
            onChange={setChosen}
            options={older.map((one) => ({
              value: one.digest,
              label: `${one.version} · ${formatDateTime(one.installed_at)}`,
            }))}
          />
        </div>
      }
    />
  )
}
