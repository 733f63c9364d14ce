import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { deviceName } from '../../account/device-name.ts'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { CheckField } from '../../parts/controls/check-field.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { RelativeTime } from '../../parts/feedback/relative-time.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { useUserChange } from './use-user-change.ts'
import { nameOf, type User, userSessionsQuery } from './users-query.ts'

/** Where a user is signed in, with actions to end one session or all of them. */
export function UserSessionsDialog({ user, onClose }: { readonly user: User; onClose(): void }) {
  const query = useQuery(userSessionsQuery(user.user_id))
  const change = useUserChange()
  const [withTokens, setWithTokens] = useState(false)
  const params = { user_id: user.user_id }
  const nothing = query.data !== undefined && query.data.items.length === 0 && query.data.access_tokens === 0
  const endAll = (): void =>
    change.mutate({
      run: () => call('POST /api/admin/users/{user_id}/sessions/end', { params, body: { access_tokens: withTokens } }),
      done: t('users.sessions_ended', { name: nameOf(user) }),
      after: onClose,
    })
  const end = (session_id: string): void =>
    change.mutate({
      run: () => call('DELETE /api/admin/users/{user_id}/sessions/{session_id}', { params: { ...params, session_id } }),
      done: t('users.session_ended'),
    })
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('users.sessions_title', { name: nameOf(user) })}
      actions={
        <>
          <Button onClick={onClose}>{t('dialog.close')}</Button>
          <Button
            variant="danger"
            disabled={query.data === undefined || nothing}
            busy={change.isPending}
            onClick={endAll}
          >
            {t('users.end_all')}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        {change.isError && <ErrorNotice title={t('users.end_failed')} error={change.error} />}
        <QueryView
          query={query}
          failed={t('users.sessions_failed')}
          loading={<SkeletonRows rows={2} className="h-14" />}
        >
          {({ items, access_tokens: tokens }) => (
            <>
              {items.length === 0 ? (
                <p className="text-muted">{t('users.no_sessions')}</p>
              ) : (
                <ul aria-label={t('users.sessions')} className="border-line divide-line divide-y rounded-lg border">
                  {items.map((session) => (
                    <li key={session.session_id} className="flex items-center gap-3 px-3 py-2.5">
                      <div className="min-w-0 flex-1">
                        <p className="break-words" title={session.user_agent}>
                          {deviceName(session.user_agent)}
                        </p>
                        <p className="text-muted text-sm break-words">
                          {session.address} · <RelativeTime at={session.last_seen_at} />
                          {session.current && ` · ${t('users.this_session')}`}
                        </p>
                      </div>
                      <Button size="sm" disabled={change.isPending} onClick={() => end(session.session_id)}>
                        {t('users.end_one')}
                      </Button>
                    </li>
                  ))}
                </ul>
              )}
              {tokens > 0 && (
                <CheckField
                  label={t('users.revoke_tokens', { count: tokens })}
                  hint={t('users.revoke_tokens_hint')}
                  checked={withTokens}
                  onChange={setWithTokens}
                />
              )}
            </>
          )}
        </QueryView>
      </div>
    </Dialog>
  )
}
