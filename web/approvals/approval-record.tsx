import {
  Ban,
  ChevronRight,
  CircleSlash,
  Clock,
  Layers,
  ShieldCheck,
  ShieldQuestion,
  type LucideIcon,
} from 'lucide-react'
import type { Approval } from '../../contract/chat.ts'
import { pathOf } from '../client/api.ts'
import { t } from '../text/i18n.ts'
import { VotesLine } from './votes-line.tsx'
import { DecidedBy, decisionInShort } from './decided-by.tsx'
import { argumentsInShort } from './main-argument.ts'
import { ModuleClaim } from './approval-subject.tsx'
import { ArgumentsList } from '../parts/layout/arguments-list.tsx'
import { EffectBadge } from '../parts/feedback/effect-badge.tsx'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { Status } from '../parts/feedback/status.tsx'
import type { Tone } from '../parts/feedback/tone.ts'

const LOOK: Record<Approval['status'], { tone: Tone; icon: LucideIcon }> = {
  pending: { tone: 'warn', icon: ShieldQuestion },
  approved: { tone: 'ok', icon: ShieldCheck },
  denied: { tone: 'danger', icon: Ban },
  expired: { tone: 'neutral', icon: Clock },
  cancelled: { tone: 'neutral', icon: CircleSlash },
  superseded: { tone: 'neutral', icon: Layers },
}

/** A closed card: one line with the decision, by whom and when; the arguments are one click away. */
export function ApprovalRecord({ approval, conversationHref }: { approval: Approval; conversationHref?: string }) {
  const {
    approval_id,
    kind,
    status,
    title,
    decided_by: decidedBy,
    decided_at: decidedAt,
    requested_at: requestedAt,
  } = approval
  const short = kind === 'call' ? argumentsInShort(approval) : approval.summary
  return (
    <details className="group">
      <summary className="hover:bg-hover flex list-none flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-2.5 focus-visible:outline-offset-[-2px] [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="text-muted size-4 shrink-0 transition-transform group-open:rotate-90" />
        <span className="min-w-0 flex-1 basis-40 truncate">
          <span className="font-medium">{title}</span>
          {/* Distinguishes two calls of a tool; shown in full below. */}
          {short !== '' && <span className="text-muted ms-2 font-mono text-xs">{short}</span>}
        </span>
        <span title={decidedBy ?? undefined} className="inline-flex max-sm:ps-7">
          <Status {...LOOK[status]} label={decisionInShort(approval)} />
        </span>
        <RelativeTime at={decidedAt ?? requestedAt} className="text-muted text-sm" />
      </summary>
      <div className="border-line space-y-3 border-t px-4 py-3">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <span className="text-muted font-mono text-sm break-all">
            {kind === 'run' ? approval.tool : `${approval.module}.${approval.tool}`}
          </span>
          {kind !== 'question' && <EffectBadge effect={approval.effect} />}
        </div>
        {(approval.decision_reason ?? '') !== '' && (
          <p className="break-words whitespace-pre-wrap">
            <DecidedBy approval={approval} />
          </p>
        )}
        {status !== 'pending' && <VotesLine approval={approval} />}
        {approval.summary !== '' && <p className="break-words whitespace-pre-wrap">{approval.summary}</p>}
        <ModuleClaim approval={approval} />
        {(kind !== 'question' || status === 'approved') && <ArgumentsList arguments={approval.arguments} />}
        {kind !== 'question' && status !== 'approved' && status !== 'denied' && (
          <p className="text-muted text-sm">{t(`approval_status_text.${status}`)}</p>
        )}
        <p className="flex flex-wrap items-center gap-x-5 gap-y-1">
          {conversationHref !== undefined && (
            <a href={conversationHref} className="text-accent text-sm underline underline-offset-2">
              {t('approval.show_conversation')}
            </a>
          )}
          <a
            href={pathOf('/api/chat/approvals/{approval_id}/receipt', { approval_id })}
            download
            className="text-accent text-sm underline underline-offset-2"
          >
            {t('receipt.download')}
          </a>
        </p>
      </div>
    </details>
  )
}
