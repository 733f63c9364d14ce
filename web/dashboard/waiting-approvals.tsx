import { Link } from '@tanstack/react-router'
import type { Output } from '../client/api-types.ts'
import type { OthersApproval } from '../client/queries.ts'
import { ApprovalExpiry } from '../approvals/approval-expiry.tsx'
import { EffectBadge } from '../parts/feedback/effect-badge.tsx'

const SHOWN = 5

type Card = Output<'GET /api/chat/approvals'>['items'][number] | OthersApproval

/** The first pending approvals, as rows. They are decided in the inbox, which shows all their details. */
export function WaitingApprovals({ cards }: { readonly cards: readonly Card[] }) {
  return cards
    .slice(-SHOWN)
    .reverse()
    .map((card) => (
      <li key={card.approval_id}>
        <Link
          to="/approvals"
          search={'asked_by' in card ? { view: 'others' } : {}}
          hash={card.approval_id}
          className="hover:bg-hover flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 focus-visible:outline-offset-[-2px]"
        >
          <span className="min-w-0 flex-1 basis-48 truncate">
            <span className="font-medium">{card.title}</span>{' '}
            <span className="text-muted text-sm">
              {card.summary === '' ? `${card.module}.${card.tool}` : card.summary}
            </span>
          </span>
          <EffectBadge effect={card.effect} />
          <span className="text-muted text-sm">
            <ApprovalExpiry expiresAt={card.expires_at} />
          </span>
        </Link>
      </li>
    ))
}
