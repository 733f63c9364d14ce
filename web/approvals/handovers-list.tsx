import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { call } from '../client/api.ts'
import { type Handover, handoversQuery } from '../client/queries.ts'
import { queryClient } from '../client/query-client.ts'
import { Button } from '../parts/controls/button.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { Section } from '../parts/layout/section.tsx'
import { formatDateTime } from '../text/format.ts'
import { t } from '../text/i18n.ts'

/** Conversations offered to the user, to be taken over or not, and those the user offers. Nothing where there are none. */
export function HandoversList() {
  const query = useQuery(handoversQuery)
  if (query.isError)
    return <ErrorNotice title={t('handover.load_failed')} error={query.error} onRetry={() => void query.refetch()} />
  const items = query.data?.items ?? []
  const toMe = items.filter(({ direction }) => direction === 'to_me')
  const byMe = items.filter(({ direction }) => direction === 'by_me')
  return (
    <>
      {toMe.length > 0 && (
        <Section title={t('handover.to_me')}>
          <ul className="space-y-3">
            {toMe.map((handover) => (
              <OfferedToMe key={handover.handover_id} handover={handover} />
            ))}
          </ul>
        </Section>
      )}
      {byMe.length > 0 && (
        <Section title={t('handover.by_me')}>
          <ul className="border-line bg-surface divide-line divide-y rounded-lg border">
            {byMe.map((handover) => (
              <OfferedByMe key={handover.handover_id} handover={handover} />
            ))}
          </ul>
        </Section>
      )}
    </>
  )
}

function OfferedToMe({ handover }: { readonly handover: Handover }) {
  const { handover_id, from, note, messages, expires_at: until } = handover
  const navigate = useNavigate()
  const params = { handover_id }
  const accepting = useMutation({
    mutationFn: () => call('POST /api/chat/handovers/{handover_id}/accept', { params }),
    onSuccess: ({ handover: { conversation_id: c } }) => {
      if (c !== null) void navigate({ to: '/chat', search: { c } })
    },
    onSettled: readAgain,
  })
  const declining = useMutation({
    mutationFn: () => call('POST /api/chat/handovers/{handover_id}/decline', { params }),
    onSettled: readAgain,
  })
  const busy = accepting.isPending || declining.isPending
  const error = accepting.error ?? declining.error
  const title = titleOf(handover)
  return (
    <li className="border-warn/40 bg-surface rounded-lg border shadow-sm">
      <div className="space-y-2 px-4 py-3">
        <h3 className="text-base font-semibold break-words">{title}</h3>
        <p className="text-sm break-words" title={from.username}>
          {t('handover.from', { name: from.name })}
        </p>
        {note !== null && (
          <blockquote className="border-line-strong border-s-2 ps-3 text-sm break-words whitespace-pre-line">
            {note}
          </blockquote>
        )}
        <p className="text-muted flex flex-wrap gap-x-3 text-sm">
          {messages !== null && <span>{t('handover.messages', { count: messages })}</span>}
          <span>{t('handover.until', { time: formatDateTime(until) })}</span>
        </p>
        {error !== null && <ErrorNotice title={t('handover.failed')} error={error} />}
      </div>
      <div className="border-line flex flex-wrap gap-2 border-t px-4 py-3">
        <Button variant="primary" busy={accepting.isPending} disabled={busy} onClick={() => accepting.mutate()}>
          {t('handover.accept')}
          <span className="sr-only"> {title}</span>
        </Button>
        <Button busy={declining.isPending} disabled={busy} onClick={() => declining.mutate()}>
          {t('handover.decline')}
          <span className="sr-only"> {title}</span>
        </Button>
      </div>
    </li>
  )
}

function OfferedByMe({ handover }: { readonly handover: Handover }) {
  const { handover_id, to, expires_at: until, conversation_id: c } = handover
  const withdrawing = useMutation({
    mutationFn: () => call('POST /api/chat/handovers/{handover_id}/withdraw', { params: { handover_id } }),
    onSettled: readAgain,
  })
  const title = titleOf(handover)
  return (
    <li className="space-y-2 px-4 py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-56 space-y-1">
          {c === null ? (
            <p className="font-medium break-words">{title}</p>
          ) : (
            <Link to="/chat" search={{ c }} className="text-accent break-words underline underline-offset-2">
              {title}
            </Link>
          )}
          <p className="text-muted flex flex-wrap gap-x-3 text-sm">
            <span className="min-w-0 break-words">{t('handover.waits_for', { name: to.username })}</span>
            <span>{t('handover.until', { time: formatDateTime(until) })}</span>
          </p>
        </div>
        <Button size="sm" busy={withdrawing.isPending} onClick={() => withdrawing.mutate()}>
          {t('handover.withdraw')}
          <span className="sr-only"> {title}</span>
        </Button>
      </div>
      {withdrawing.isError && <ErrorNotice title={t('handover.failed')} error={withdrawing.error} />}
    </li>
  )
}

function titleOf({ title }: Handover): string {
  return title === null || title === '' ? t('chat.untitled') : title
}

function readAgain(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: handoversQuery.queryKey })
}
