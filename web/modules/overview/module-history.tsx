import { useState } from 'react'
import type { ModuleDetail } from '../../../contract/modules.ts'
import { formatBytes, formatDateTime } from '../../text/format.ts'
import { t, tIfKnown } from '../../text/i18n.ts'
import { ArgumentsList } from '../../parts/layout/arguments-list.tsx'
import { Badge } from '../../parts/feedback/badge.tsx'
import { Button } from '../../parts/controls/button.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { Status } from '../../parts/feedback/status.tsx'
import type { Tone } from '../../parts/feedback/tone.ts'
import { RollbackDialog } from './rollback-dialog.tsx'
import type { useModuleChange } from '../list/use-module-change.ts'

const TONE: Record<ModuleDetail['history'][number]['outcome'], Tone> = { ok: 'ok', refused: 'warn', failed: 'danger' }

interface ModuleHistoryProps {
  readonly module: ModuleDetail
  readonly change: ReturnType<typeof useModuleChange>
}

/** Kept versions, and who did what to the module. */
export function ModuleHistory({ module, change }: ModuleHistoryProps) {
  const { versions, history } = module
  const [target, setTarget] = useState<string | null>(null)
  return (
    <div className="space-y-8">
      {versions.length > 0 && (
        <Section title={t('modules.versions')}>
          <Panel>
            <ul className="divide-line divide-y">
              {versions.map(({ version, digest, size, installed_at: at, signature, current }) => (
                <li key={digest} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-2.5">
                  <div className="min-w-0">
                    <p className="flex flex-wrap items-center gap-x-2">
                      <span className="font-mono font-medium break-all">{version}</span>
                      {current && <Badge tone="active">{t('modules.current')}</Badge>}
                      <span className="text-muted text-sm">{t(`modules.signature_${signature.state}`)}</span>
                    </p>
                    <p className="text-muted text-sm">
                      {formatDateTime(at)} · {formatBytes(size)}
                    </p>
                    <p className="text-muted font-mono text-xs break-all">{digest}</p>
                  </div>
                  {!current && (
                    <Button size="sm" disabled={change.isPending} onClick={() => setTarget(digest)}>
                      {t('modules.rollback')}
                      <span className="sr-only"> {version}</span>
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          </Panel>
        </Section>
      )}
      <Section title={t('modules.history')}>
        {history.length === 0 ? (
          <p className="text-muted">{t('modules.history_empty')}</p>
        ) : (
          <Panel>
            <ol className="divide-line divide-y">
              {history.map(({ at, actor, action, outcome, details }, index) => (
                <li key={`${at} ${index}`} className="px-4 py-2.5">
                  <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-0.5">
                    <span className="min-w-0 break-words">
                      <span className="font-medium">{tIfKnown(`modules.action_${lastPart(action)}`) ?? action}</span>
                      {actor !== '' && <span className="text-muted"> · {actor}</span>}
                    </span>
                    <span className="flex items-center gap-3">
                      {outcome !== 'ok' && <Status tone={TONE[outcome]} label={t(`modules.outcome_${outcome}`)} />}
                      <time dateTime={at} className="text-muted text-sm">
                        {formatDateTime(at)}
                      </time>
                    </span>
                  </div>
                  {Object.keys(details).length > 0 && (
                    <details className="mt-0.5">
                      <summary className="text-muted text-sm">{t('modules.details')}</summary>
                      <div className="mt-1.5">
                        <ArgumentsList arguments={details} />
                      </div>
                    </details>
                  )}
                </li>
              ))}
            </ol>
          </Panel>
        )}
      </Section>
      {target !== null && (
        <RollbackDialog module={module} change={change} digest={target} onClose={() => setTarget(null)} />
      )}
    </div>
  )
}

/** `module.installed` → `installed`. */
function lastPart(action: string): string {
  return action.slice(action.lastIndexOf('.') + 1)
}
