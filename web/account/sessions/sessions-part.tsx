import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api.ts'
import { t } from '../../i18n.ts'
import { ConfirmDialog } from '../../modules/confirm-dialog.tsx'
import { Button } from '../../parts/button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { toast } from '../../parts/toast.tsx'
import { type SignInSession, sessionsQuery } from '../account-queries.ts'
import { SessionRow } from './session-row.tsx'

/** Where the person is signed in; each can be ended, and all others at once. */
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
