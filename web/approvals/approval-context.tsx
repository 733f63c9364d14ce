import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import type { Approval } from '../../contract/chat.ts'
import { sessionQuery } from '../client/queries.ts'
import { ToolPicture } from '../parts/feedback/picture.tsx'
import { t } from '../text/i18n.ts'
import { ApprovalExpiry } from './approval-expiry.tsx'

interface ApprovalContextProps {
  readonly approval: Approval
  readonly conversationHref?: string | undefined
}

/** In one line: for whom, in which role, where, why it asks, and until when. */
export function ApprovalContext({ approval, conversationHref }: ApprovalContextProps) {
  const user = useQuery(sessionQuery).data?.user
  const { kind, module, tool, icon, reason, expires_at: expiresAt } = approval
  const facts = [
    user && (
      <span key="who" title={user.username}>
        {t('approval.for', { name: user.display_name })}
      </span>
    ),
    user && <span key="role">{user.role}</span>,
    // Beside the module's name and nowhere near what Reeve says: it is the module's own.
    <span key="where" className="font-mono text-xs break-all">
      {icon !== undefined && (
        <span className="me-1.5 inline-flex align-middle">
          <ToolPicture icon={icon} />
        </span>
      )}
      {kind === 'run' ? tool : `${module}.${tool}`}
    </span>,
    reason !== '' && <span key="why">{reason}</span>,
    <ApprovalExpiry key="until" expiresAt={expiresAt} />,
    conversationHref !== undefined && (
      <a key="conversation" href={conversationHref} className="text-accent underline underline-offset-2">
        {t('approval.show_conversation')}
      </a>
    ),
  ].filter((fact) => typeof fact === 'object')
  return (
    <p className="text-muted text-sm break-words">
      {facts.map((fact, index) => (
        <Fragment key={fact.key}>
          {index > 0 && ' · '}
          {fact}
        </Fragment>
      ))}
    </p>
  )
}
