import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OauthRequest } from '../../contract/oauth.ts'
import { MCP_TOKEN_DAYS } from '../../contract/token-limits.ts'
import { ToolScope } from '../account/tokens/token-scope.tsx'
import { call } from '../client/api.ts'
import { Button } from '../parts/controls/button.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { Notice } from '../parts/feedback/notice.tsx'
import { PagePending } from '../parts/feedback/page-pending.tsx'
import { Page } from '../parts/layout/page.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { t } from '../text/i18n.ts'

type Asking = NonNullable<OauthRequest['client']>

/** Where an MCP client sends a person who is to let it in. Opening it decides nothing. */
export function OauthPage() {
  // As the client wrote it: the router would write it anew.
  const [query] = useState(() => window.location.search)
  const request = useQuery({
    queryKey: ['oauth', query],
    queryFn: async ({ signal }) => {
      const answer = await call('POST /api/oauth/request', { body: { query }, signal })
      // It asks wrongly, and is told so.
      if (answer.location !== null) window.location.assign(answer.location)
      return answer
    },
    retry: false,
    staleTime: Infinity,
  })
  if (request.isPending) return <PagePending />
  return (
    <Page title={t('oauth.title')}>
      <div className="mx-auto max-w-xl space-y-5">
        {request.isError ? (
          <ErrorNotice title={t('oauth.failed')} error={request.error} />
        ) : request.data.client === null ? (
          <Notice tone="info">{t('oauth.leaving')}</Notice>
        ) : (
          <Decision query={query} asking={request.data.client} />
        )}
      </div>
    </Page>
  )
}

function Decision({ query, asking }: { readonly query: string; readonly asking: Asking }) {
  const { name, host, redirect_host, local, subjects } = asking
  const [scope, setScope] = useState(subjects)
  const decide = useMutation({
    mutationFn: (permissions: string[] | null) => call('POST /api/oauth/decision', { body: { query, permissions } }),
    onSuccess: ({ location }) => window.location.assign(location),
  })
  if (decide.isSuccess) return <Notice tone="ok">{t('oauth.leaving')}</Notice>
  const facts = [
    [t('oauth.from'), host ?? t('oauth.registered')],
    [t('oauth.back'), redirect_host],
  ] as const
  return (
    <>
      <h2 className="text-lg font-semibold break-words">{t('oauth.ask', { name })}</h2>
      <Panel>
        <dl className="grid gap-x-6 gap-y-2 px-4 py-3 sm:grid-cols-[max-content_1fr]">
          {facts.map(([label, value]) => (
            <div key={label} className="contents">
              <dt className="text-muted">{label}</dt>
              <dd className="font-medium break-all">{value}</dd>
            </div>
          ))}
        </dl>
      </Panel>
      {host !== null && <Notice tone="info">{t('oauth.own_words')}</Notice>}
      {local && <Notice tone="warn">{t('oauth.local', { name })}</Notice>}
      <ToolScope scope={scope} onChange={(next) => setScope([...next])} only={subjects} />
      <p className="text-muted">{t('oauth.text', { days: MCP_TOKEN_DAYS })}</p>
      {decide.isError && <ErrorNotice title={t('oauth.decide_failed')} error={decide.error} />}
      <div className="flex flex-wrap gap-2">
        <Button
          variant="primary"
          disabled={!scope.some((subject) => subject.startsWith('tool:')) || decide.isPending}
          busy={decide.isPending && decide.variables !== null}
          onClick={() => decide.mutate(scope)}
        >
          {t('oauth.allow')}
        </Button>
        <Button disabled={decide.isPending} onClick={() => decide.mutate(null)}>
          {t('oauth.refuse')}
        </Button>
      </div>
    </>
  )
}
