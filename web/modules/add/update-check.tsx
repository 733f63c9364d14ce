import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowUp, RefreshCw } from 'lucide-react'
import type { ModuleUpdate } from '../../../contract/module-additions.ts'
import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { keepBegun, updatesQuery, useUpdates } from './additions-query.ts'

/** Asks the registry for newer versions, when somebody wants to know. */
export function UpdateCheck() {
  const query = useQuery(updatesQuery)
  return (
    <Button
      icon={RefreshCw}
      busy={query.isFetching}
      aria-label={t('modules.updates_check')}
      onClick={() => void query.refetch()}
    >
      <span className="max-sm:hidden">{t('modules.updates_check')}</span>
    </Button>
  )
}

/** What came of it, besides the newer versions that the rows show. */
export function UpdateOutcome() {
  const { data, error } = useQuery(updatesQuery)
  const queryClient = useQueryClient()
  if (error !== null) return <ErrorNotice title={t('modules.updates_failed')} error={error} />
  if (data === undefined) return null
  if (data.some(({ newer, problem }) => newer !== null || problem !== null)) return <UnknownUpdates updates={data} />
  return (
    <Notice
      tone="ok"
      title={t('modules.updates_none')}
      actions={
        <Button size="sm" variant="ghost" onClick={() => queryClient.resetQueries({ queryKey: updatesQuery.queryKey })}>
          {t('toast.close')}
        </Button>
      }
    />
  )
}

function UnknownUpdates({ updates }: { readonly updates: readonly ModuleUpdate[] }) {
  return updates
    .filter(({ problem }) => problem !== null)
    .map(({ module, problem }) => (
      <Notice key={module} tone="warn" title={module}>
        {problem}
      </Notice>
    ))
}

/** Asks for newer versions, for one module's page: what is found is shown there, the rest is said in passing. */
export function useUpdateCheck(name: string): () => void {
  const { refetch } = useQuery(updatesQuery)
  const check = async (): Promise<void> => {
    const { data, error } = await refetch()
    const found = data?.find(({ module }) => module === name)
    if (error !== null) toast({ text: explainError(error), tone: 'danger' })
    else if (found?.problem != null) toast({ text: found.problem, tone: 'warn' })
    else if (found?.newer == null) toast({ text: t('modules.updates_none') })
  }
  return () => void check()
}

/** On the page of a module of which there is a newer version. */
export function UpdateFound({ name }: { readonly name: string }) {
  const newer = useUpdates().find(({ module }) => module === name)?.newer ?? null
  if (newer === null) return null
  return (
    <Notice tone="info" title={t('modules.update_found', { version: newer })} actions={<UpdateButton name={name} />}>
      {t('modules.update_text')}
    </Notice>
  )
}

/** In the row of a module of which there is a newer version. */
export function UpdateButton({ name }: { readonly name: string }) {
  const queryClient = useQueryClient()
  const newer = useUpdates().find(({ module }) => module === name)?.newer ?? null
  const begin = useMutation({
    mutationFn: () => call('POST /api/modules/{module_name}/update', { params: { module_name: name } }),
    onSuccess: ({ addition }) => keepBegun(queryClient, addition),
  })
  if (newer === null) return null
  return (
    // Above the link that covers the row.
    <span className="relative z-10">
      <Button size="sm" icon={ArrowUp} busy={begin.isPending} onClick={() => begin.mutate()}>
        {t('modules.update', { version: newer })}
      </Button>
      {begin.isError && <ErrorNotice title={t('modules.add_failed')} error={begin.error} className="mt-2" />}
    </span>
  )
}
