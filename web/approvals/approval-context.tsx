import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Approval } from '../../contract/chat.ts'
import { sessionQuery } from '../client/queries.ts'
import { t } from '../text/i18n.ts'
import { ApprovalExpiry } from './approval-expiry.tsx'

interface ApprovalContextProps {
  readonly approval: Approval
  readonly conversationHref?: string | undefined
}

/** In one line: for whom, in which role, where, why it asks, and until when. */
export function ApprovalContext({ approval, conversationHref }: ApprovalContextProps) {
  const user = useQuery(sessionQuery).data?.user
  const { kind, module, tool, reason, expires_at: expiresAt } = approval
  const facts: [string, ReactNode][] = [
    ...(user === undefined
      ? []
      : ([
          ['who', <span title={user.username}>{t('approval.for', { name: user.display_name })}</span>],
          ['role', user.role],
        ] satisfies [string, ReactNode][])),
    ['where', <span className="font-mono text-xs break-all">{kind === 'run' ? tool : `${module}.${tool}`}</span>],
    ...(reason === '' ? [] : ([['why', reason]] satisfies [string, ReactNode][])),
    ['until', <ApprovalExpiry expiresAt={expiresAt} />],
    ...(conversationHref === undefined
      ? []
      : ([
          [
            'conversation',
            <a href={conversationHref} className="text-accent underline underline-offset-2">
              {t('approval.show_conversation')}
            </a>,
          ],
        ] satisfies [string, ReactNode][])),
  ]
  return (
    <p className="text-muted text-sm break-words">
      {facts.map(([key, fact], index) => (
        <span key={key}>
          {index > 0 && ' · '}
          {fact}
        </span>
      ))}
    </p>
  )
}
