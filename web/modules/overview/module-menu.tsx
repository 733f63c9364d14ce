import { CircleArrowUp, Download, Ellipsis, FileSearch, History, RefreshCw, Trash2, Upload, Wrench } from 'lucide-react'
import { useState } from 'react'
import type { Capabilities, ModuleDetail } from '../../../contract/modules.ts'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { Menu, type MenuEntry } from '../../parts/controls/menu.tsx'
import { ConfirmDialog } from '../../parts/layout/confirm-dialog.tsx'
import { downloadDiagnostics } from './download-diagnostics.ts'
import { grantsBody } from '../review/grants-form.ts'
import { RollbackDialog } from './rollback-dialog.tsx'
import { UninstallDialog } from './uninstall-dialog.tsx'
import type { useModuleChange } from '../list/use-module-change.ts'

interface ModuleMenuProps {
  readonly module: ModuleDetail
  /** The access granted to it. */
  readonly grants: Capabilities
  readonly change: ReturnType<typeof useModuleChange>
  onUpgrade(): void
  /** Asks where it came from for a newer version. */
  onUpdates(): void
  onReview(): void
}

/** Runs once the menu is gone and its button has the focus again. */
const FOCUS_MS = 20

/** Module actions other than enable and disable. */
export function ModuleMenu({ module, grants, change, onUpgrade, onUpdates, onReview }: ModuleMenuProps) {
  const [asking, setAsking] = useState<'repair' | 'restart' | 'rollback' | 'uninstall' | null>(null)
  const { name, display_name: shown, kind } = module
  const close = (): void => setAsking(null)
  const params = { module_name: name }
  const older = module.versions.some((version) => !version.current)
  const running = module.enabled && kind !== 'builtin'
  const entries: MenuEntry[] = [
    ...(kind === 'builtin'
      ? []
      : [{ label: t('modules.review_show'), icon: FileSearch, onSelect: afterMenu(onReview) } satisfies MenuEntry]),
    ...(module.source
      ? [{ label: t('modules.updates_check'), icon: CircleArrowUp, onSelect: onUpdates } satisfies MenuEntry]
      : []),
    ...(kind === 'bundle'
      ? ([
          { label: t('modules.upgrade'), icon: Upload, onSelect: onUpgrade },
          {
            label: t('modules.rollback_menu'),
            icon: History,
            disabled: !older,
            onSelect: afterMenu(() => setAsking('rollback')),
          },
          { label: t('modules.repair'), icon: Wrench, onSelect: afterMenu(() => setAsking('repair')) },
        ] satisfies MenuEntry[])
      : []),
    ...(running
      ? [
          {
            label: t('modules.restart'),
            icon: RefreshCw,
            onSelect: afterMenu(() => setAsking('restart')),
          } satisfies MenuEntry,
        ]
      : []),
    { label: t('modules.diagnostics'), icon: Download, onSelect: () => void downloadDiagnostics(name) },
    'separator',
    {
      label: t('modules.uninstall_menu'),
      icon: Trash2,
      danger: true,
      onSelect: afterMenu(() => setAsking('uninstall')),
    },
  ]
  return (
    <>
      <Menu align="end" entries={entries} trigger={<IconButton label={t('modules.more')} icon={Ellipsis} />} />
      {asking === 'repair' && (
        <ConfirmDialog
          title={t('modules.repair_title', { name: shown })}
          text={t('modules.repair_text')}
          verb={t('modules.repair')}
          onClose={close}
          onConfirm={() =>
            change.mutate({
              id: 'repair',
              failed: t('modules.repair_failed', { name: shown }),
              done: t('modules.repaired', { name: shown }),
              run: () => call('POST /api/modules/{module_name}/repair', { params }),
            })
          }
        />
      )}
      {asking === 'restart' && (
        <ConfirmDialog
          title={t('modules.restart_title', { name: shown })}
          text={t('modules.restart_text')}
          verb={t('modules.restart')}
          onClose={close}
          onConfirm={() =>
            change.mutate({
              id: 'restart',
              failed: t('modules.restart_failed', { name: shown }),
              done: t('modules.restarted', { name: shown }),
              run: async () => {
                await call('POST /api/modules/{module_name}/disable', { params })
                return call('POST /api/modules/{module_name}/enable', {
                  params,
                  body: grantsBody(module.review, grants),
                })
              },
            })
          }
        />
      )}
      {asking === 'rollback' && <RollbackDialog module={module} change={change} onClose={close} />}
      {asking === 'uninstall' && <UninstallDialog module={module} onClose={close} />}
    </>
  )
}

/**
 * Opens a dialog once the menu is gone, so that the dialog returns the focus to the menu's button, not to a removed
 * item.
 */
function afterMenu(open: () => void): () => void {
  return () => void setTimeout(open, FOCUS_MS)
}
