import type { Capabilities, ModuleDetail } from '../../../contract/modules.ts'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { Badge } from '../../parts/feedback/badge.tsx'
import { Button } from '../../parts/controls/button.tsx'
import { grantsBody } from '../review/grants-form.ts'
import { ModuleIcon } from '../list/module-icon.tsx'
import { ModuleState } from '../list/module-state.tsx'
import type { useModuleChange } from '../list/use-module-change.ts'

interface ModuleHeaderProps {
  readonly module: ModuleDetail
  /** The access granted to it. */
  readonly grants: Capabilities
  readonly change: ReturnType<typeof useModuleChange>
  onReview(): void
  onSettings(): void
}

/** The module's name, state and on/off switch. */
export function ModuleHeader({ module, grants, change, onReview, onSettings }: ModuleHeaderProps) {
  const { name, display_name: shown, kind, enabled, state } = module
  const busy = change.isPending ? change.variables.id : null
  const params = { module_name: name }
  const start = (): void =>
    change.mutate({
      id: 'enable',
      failed: t('modules.enable_failed', { name: shown }),
      done: t('modules.enabled', { name: shown }),
      run: () =>
        call('POST /api/modules/{module_name}/enable', {
          params,
          body: grantsBody(module.review, grants),
        }),
    })
  const disable = (): void =>
    change.mutate({
      id: 'disable',
      failed: t('modules.disable_failed', { name: shown }),
      done: t('modules.disabled', { name: shown }),
      run: () => call('POST /api/modules/{module_name}/disable', { params }),
    })
  return (
    <div className="mb-5 flex flex-wrap items-start gap-x-4 gap-y-3">
      <ModuleIcon icon={module.icon} large />
      <div className="min-w-0 flex-1 basis-48">
        <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
          <span className="text-lg font-semibold break-words">{shown}</span>
          <span className="text-muted font-mono text-sm break-all">{module.version}</span>
          <Badge>{t(`modules.kind_${kind}`)}</Badge>
        </p>
        <div role="status" className="mt-0.5">
          <ModuleState state={state} />
          {module.problem !== null && <p className="break-words whitespace-pre-line">{module.problem}</p>}
        </div>
      </div>
      <div className="flex flex-wrap gap-2">
        {enabled && state === 'needs_review' && (
          <Button variant="primary" onClick={onReview}>
            {t('modules.review')}
          </Button>
        )}
        {state === 'needs_configuration' &&
          module.connection?.status !== 'never' &&
          module.connection?.status !== 'disconnected' && (
            <Button variant="primary" onClick={onSettings}>
              {t('modules.fill_settings')}
            </Button>
          )}
        {enabled && state === 'failed' && (
          <Button variant="primary" busy={busy === 'enable'} disabled={busy !== null} onClick={start}>
            {t('modules.start_again')}
          </Button>
        )}
        {enabled ? (
          <Button busy={busy === 'disable'} disabled={busy !== null} onClick={disable}>
            {t('modules.disable')}
          </Button>
        ) : (
          <Button
            variant="primary"
            busy={busy === 'enable'}
            disabled={busy !== null || state === 'incompatible'}
            // A built-in module runs inside Reeve and needs no separate agreement.
            onClick={kind === 'builtin' ? start : onReview}
          >
            {t(kind === 'builtin' ? 'modules.enable' : 'modules.review_enable')}
          </Button>
        )}
      </div>
    </div>
  )
}
