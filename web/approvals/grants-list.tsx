import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Grant } from '../../contract/chat.ts'
import { call } from '../client/api.ts'
import { Button } from '../parts/controls/button.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { Status } from '../parts/feedback/status.tsx'
import { Section } from '../parts/layout/section.tsx'
import { formatDateTime } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { loosenedText } from './grant-text.ts'
import { argumentsInShort } from './main-argument.ts'

/** Approvals that still count for later calls, each with what is left of it, to be ended. Nothing where there are none. */
export function GrantsList() {
  const query = useQuery({
    queryKey: ['approvals', 'grants'],
    queryFn: ({ signal }) => call('GET /api/chat/grants', { signal }),
    // Uses and time run out without an event of their own.
    staleTime: 0,
  })
  if (query.isError)
    return <ErrorNotice title={t('approvals.load_failed')} error={query.error} onRetry={() => void query.refetch()} />
  const items = query.data?.items ?? []
  if (items.length === 0) return null
  return (
    <Section title={t('grants.title')}>
      <p className="text-muted mb-2 text-sm">{t('grants.text')}</p>
      <ul className="border-line bg-surface divide-line divide-y rounded-lg border">
        {items.map((grant) => (
          <GrantRow key={grant.grant_id} grant={grant} />
        ))}
      </ul>
    </Section>
  )
}

function GrantRow({ grant }: { readonly grant: Grant }) {
  const queryClient = useQueryClient()
  const { grant_id, kind, module, tool, uses, uses_left: left, expires_at: until, conversation_id: c } = grant
  const revoking = useMutation({
    mutationFn: () => call('DELETE /api/chat/grants/{grant_id}', { params: { grant_id } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['approvals'] }),
  })
  const short = kind === 'permission' ? '' : argumentsInShort(grant)
  return (
    <li className="space-y-1 px-4 py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-56 space-y-1">
          <p className="break-words">
            <span className="font-medium">{grant.title}</span>{' '}
            <span className="text-muted font-mono text-xs break-all">
              {kind === 'permission' ? tool : `${module}.${tool}`}
            </span>
          </p>
          {short !== '' && <p className="text-muted truncate font-mono text-xs">{short}</p>}
          <p className="text-sm break-words">
            {kind === 'permission' ? t('grants.permission') : loosenedText(grant.loosened)}
          </p>
          <p className="text-muted flex flex-wrap gap-x-3 text-sm">
            {uses !== null && left !== null && <span>{t('grants.left', { left, uses })}</span>}
            {until !== null && <span>{t('grants.until', { time: formatDateTime(until) })}</span>}
            <Link to="/chat" search={{ c }} className="text-accent min-w-0 truncate underline underline-offset-2">
              {grant.conversation_title || t('approval.show_conversation')}
            </Link>
          </p>
          {grant.asleep && <Status tone="warn" label={t('grants.asleep')} />}
        </div>
        <Button size="sm" busy={revoking.isPending} onClick={() => revoking.mutate()}>
          {t('grants.revoke')}
          <span className="sr-only">
            {' '}
            {grant.title} {short}
          </span>
        </Button>
      </div>
      {revoking.isError && <ErrorNotice title={t('grants.revoke_failed')} error={revoking.error} />}
    </li>
  )
}
