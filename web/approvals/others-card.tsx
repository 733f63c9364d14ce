import { useState } from 'react'
import { call } from '../client/api.ts'
import type { OthersApproval } from '../client/queries.ts'
import { EffectBadge } from '../parts/feedback/effect-badge.tsx'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { Status } from '../parts/feedback/status.tsx'
import { classNames } from '../parts/class-names.ts'
import { t } from '../text/i18n.ts'
import { ApprovalActions } from './approval-actions.tsx'
import { ApprovalExpiry } from './approval-expiry.tsx'
import { ApprovalPreview } from './approval-preview.tsx'
import { ApprovalSubject } from './approval-subject.tsx'
import { RepairedCall } from '../parts/feedback/repaired-call.tsx'
import { decisionInShort } from './decided-by.tsx'
import type { Decision } from './use-decision.ts'
import { VotesLine } from './votes-line.tsx'

/** Somebody else's call, made for deciding: who asks, what it is, what it would change, who has agreed, and the buttons. */
export function OthersCard({ approval, wanted }: { readonly approval: OthersApproval; readonly wanted: boolean }) {
  const [voted, setVoted] = useState<OthersApproval | null>(null)
  const shown = voted !== null && approval.my_vote === null ? voted : approval
  const { approval_id: id, asked_by: asker, module, tool, reason, status, my_vote: mine } = shown
  const open = status === 'pending' && mine === null
  const headingId = `${id}-title`
  return (
    <article
      id={id}
      aria-labelledby={headingId}
      className={classNames(
        'bg-surface scroll-mt-20 rounded-lg border',
        open ? 'border-warn/40 shadow-sm' : 'border-line',
        wanted && 'outline-2 outline-offset-2 outline-focus',
      )}
    >
      <header
        className={classNames(
          'flex flex-wrap items-center gap-x-3 gap-y-1 rounded-t-lg px-4 py-2 text-base',
          open && 'bg-warn-soft',
        )}
      >
        {open && <Status tone="warn" label={t('approval.needed')} />}
        <h3 id={headingId} className="min-w-0 flex-1 basis-40 font-semibold break-words">
          {shown.title}
        </h3>
        {status === 'pending' ? <EffectBadge effect={shown.effect} /> : <span>{decisionInShort(shown)}</span>}
      </header>
      <div className="space-y-2.5 px-4 py-3">
        <p className="text-sm break-words" title={asker.username}>
          {t('votes.asks', { name: asker.name, role: asker.role })}
        </p>
        <ApprovalSubject approval={shown} />
        {shown.repaired !== undefined && <RepairedCall repaired={shown.repaired} />}
        {shown.preview !== undefined && <ApprovalPreview preview={shown.preview} />}
        <VotesLine approval={shown} />
        <p className="text-muted text-sm break-words">
          <span className="font-mono text-xs break-all">{`${module}.${tool}`}</span>
          {reason !== '' && ` · ${reason}`}
          {' · '}
          {status === 'pending' ? (
            <ApprovalExpiry expiresAt={shown.expires_at} />
          ) : (
            <RelativeTime at={shown.decided_at ?? shown.requested_at} />
          )}
        </p>
      </div>
      {status === 'pending' && <ApprovalActions approval={shown} send={vote} onDecided={setVoted} />}
    </article>
  )
}

async function vote(approval_id: string, { decision, reason }: Decision): Promise<OthersApproval> {
  const body = { decision: decision === 'deny' ? ('deny' as const) : ('approve' as const), ...(reason && { reason }) }
  return (await call('POST /api/approvals/{approval_id}/votes', { params: { approval_id }, body })).approval
}
