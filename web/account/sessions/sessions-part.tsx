import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { ConfirmDialog } from '../../parts/layout/confirm-dialog.tsx'
import { Button } from '../../parts/controls/button.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { type SignInSession, sessionsQuery } from '../account-queries.ts'
import { SessionRow } from './session-row.tsx'

/** Where the user is signed in; sessions can be ended one by one, or all others at once. */
export function SessionsPart() {
  const query = useQuery(sessionsQuery)
  const queryClient = useQueryClient()
  const [asked, setAsked] = useState(false)
  const end = useMutation({
    mutationFn: async (sessions: readonly SignInSession[]) => {
      for (const { session_id } of sessions)
        await call('DELETE /api/auth/sessions/{session_id}', { params: { session_id } })
    },
    onSuccess: (_answer, sessions) =>
      toast({ text: t('account.sessions_ended', { count: sessions.length }), tone: 'ok' }),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ['account', 'sessions'] }),
  })
  return (
    <div className="max-w-2xl space-y-4">
      <p className="text-muted">{t('account.sessions_text')}</p>
      {end.isError && <ErrorNotice title={t('account.session_end_failed')} error={end.error} />}
      <QueryView
        query={query}
        failed={t('account.sessions_failed')}
        loading={<SkeletonRows rows={3} className="h-16 rounded-lg" />}
      >
        {(sessions) => {
          const others = sessions.filter(({ current }) => !current)
          return (
            <>
              <Panel>
                <ul className="divide-line divide-y">
                  {sessions.map((session) => (
                    <SessionRow
                      key={session.session_id}
                      session={session}
                      busy={end.isPending}
                      onEnd={() => end.mutate([session])}
                    />
                  ))}
                </ul>
              </Panel>
              {others.length > 0 && (
                <Button busy={end.isPending} onClick={() => setAsked(true)}>
                  {t('account.sessions_end_others')}
                </Button>
              )}
              {asked && (
                <ConfirmDialog
                  title={t('account.sessions_end_title')}
                  text={t('account.sessions_end_text', { count: others.length })}
                  verb={t('account.sessions_end_others')}
                  danger
                  onConfirm={() => end.mutate(others)}
                  onClose={() => setAsked(false)}
                />
              )}
            </>
          )
        }}
      </QueryView>
    </div>
  )
}
