import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ArchiveRestore, Download } from 'lucide-react'
import { confirmFirst } from '../../account/confirm/confirm-first.ts'
import { ApiError } from '../../client/api-error.ts'
import { call, pathOf } from '../../client/api.ts'
import { formatBytes } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { RelativeTime } from '../../parts/feedback/relative-time.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { removedQuery } from './module-queries.ts'
import { useModuleChange } from './use-module-change.ts'

/** Backups of removed modules. A built-in module is restored here; the file of any other can be installed again. */
export function RemovedModules() {
  const query = useQuery(removedQuery)
  const change = useModuleChange()
  const navigate = useNavigate()
  if (query.isError)
    return <ErrorNotice title={t('modules.removed_failed')} error={query.error} onRetry={() => void query.refetch()} />
  if (query.data === undefined || query.data.length === 0) return null
  const restore = ({ name, display_name: shown }: (typeof query.data)[number], settings: 'backup' | 'default') =>
    change.mutate({
      id: name,
      failed: t('modules.restore_failed', { name: shown }),
      done: t('modules.restored', { name: shown }),
      run: () =>
        call('POST /api/modules/{module_name}/restore-builtin', { params: { module_name: name }, query: { settings } }),
      after: () => void navigate({ to: '/modules/$name', params: { name } }),
    })
  const unreadable =
    change.error instanceof ApiError && change.error.code === 'backup_unreadable'
      ? query.data.find(({ name }) => name === change.variables?.id)
      : undefined
  return (
    <Section title={t('modules.removed')}>
      <div className="space-y-3">
        <p className="text-muted">{t('modules.removed_text')}</p>
        {change.isError && (
          <ErrorNotice
            title={change.variables.failed}
            error={change.error}
            advice={
              unreadable && (
                <Button size="sm" icon={ArchiveRestore} onClick={() => restore(unreadable, 'default')}>
                  {t('modules.restore_default')}
                </Button>
              )
            }
          />
        )}
        <Panel>
          <ul className="divide-line divide-y">
            {query.data.map((removed) => {
              const { name, display_name: shown, version, builtin, backup, size, removed_at: at } = removed
              return (
                <li key={backup} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3">
                  <div className="min-w-0">
                    <p className="break-words">
                      <span className="font-medium">{shown}</span>{' '}
                      <span className="text-muted font-mono text-xs">{version}</span>
                    </p>
                    <p className="text-muted text-sm">
                      {builtin && `${t('modules.kind_builtin')} · `}
                      {formatBytes(size)} · {t('modules.removed_at')} <RelativeTime at={at} />
                    </p>
                  </div>
                  <div className="flex flex-wrap gap-2">
                    <a
                      href={pathOf('/api/modules/backups/{backup}', { backup })}
                      download={backup}
                      onClick={(event) => void confirmFirst(event)}
                      className="border-line-strong/60 bg-surface hover:bg-hover inline-flex h-7 items-center gap-1.5 rounded-md border px-2.5 text-sm font-medium shadow-sm"
                    >
                      <Download aria-hidden className="size-3.5" />
                      {t('modules.download')}
                      <span className="sr-only"> {shown}</span>
                    </a>
                    {builtin && (
                      <Button
                        size="sm"
                        icon={ArchiveRestore}
                        busy={change.isPending && change.variables.id === name}
                        onClick={() => restore(removed, 'backup')}
                      >
                        {t('modules.restore')}
                        <span className="sr-only"> {shown}</span>
                      </Button>
                    )}
                  </div>
                </li>
              )
            })}
          </ul>
        </Panel>
      </div>
    </Section>
  )
}
