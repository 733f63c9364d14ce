import { lazy, Suspense, useState } from 'react'
import type { Approval } from '../../contract/chat.ts'
import { classNames } from '../parts/class-names.ts'
import { t } from '../text/i18n.ts'
import { ApprovalActions } from './approval-actions.tsx'
import { ApprovalExpiry } from './approval-expiry.tsx'
import { ApprovalRecord } from './approval-record.tsx'
import { ArgumentsList } from '../parts/layout/arguments-list.tsx'
import { EffectBadge } from '../parts/feedback/effect-badge.tsx'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { Status } from '../parts/feedback/status.tsx'

const QuestionBody = lazy(async () => ({ default: (await import('./question-body.tsx')).QuestionBody }))

export interface ApprovalCardProps {
  approval: Approval
  /** Called with the decided card once the server has accepted the decision. */
  onDecided?: (approval: Approval) => void
  /** Link to the conversation that the card belongs to; for the inbox. */
  conversationHref?: string
  /** A link points to this card: it is outlined. */
  highlighted?: boolean
}

/**
 * A tool call waiting for a decision, or a module's question: tool, module, arguments, possible effect, and why
 * approval is needed. Decided here with buttons that arm after half a second; afterwards it stays as a record.
 */
export function ApprovalCard({ approval, onDecided, conversationHref, highlighted = false }: ApprovalCardProps) {
  const [decided, setDecided] = useState<Approval | null>(null)
  const shown = approval.status === 'pending' ? (decided ?? approval) : approval
  const frame = classNames(
    'bg-surface scroll-mt-20 overflow-hidden rounded-lg border',
    highlighted && 'outline-2 outline-offset-2 outline-focus',
  )
  if (shown.status !== 'pending') {
    return (
      <article id={shown.approval_id} className={classNames(frame, 'border-line')}>
        <ApprovalRecord approval={shown} conversationHref={conversationHref} />
      </article>
    )
  }
  const { question } = shown
  const decide = (next: Approval): void => {
    setDecided(next)
    onDecided?.(next)
  }
  const headingId = `${shown.approval_id}-title`
  return (
    <article
      id={shown.approval_id}
      aria-labelledby={headingId}
      className={classNames(frame, 'border-warn/40 shadow-sm')}
    >
      <header className="bg-warn-soft flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2">
        <Status tone="warn" label={t(question === null ? 'approval.needed' : 'question.needed')} />
        <ApprovalExpiry expiresAt={shown.expires_at} />
      </header>
      <div className="space-y-3 px-4 pt-3 pb-4">
        <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
          <div className="min-w-0">
            <h3 id={headingId} className="text-md font-semibold break-words">
              {shown.title}
            </h3>
            <p className="text-muted font-mono text-sm break-all">
              {shown.module}.{shown.tool}
            </p>
          </div>
          {question === null && <EffectBadge effect={shown.effect} />}
        </div>
        {question !== null && (
          <Suspense fallback={<SkeletonRows rows={3} className="h-9" />}>
            <QuestionBody approval={shown} question={question} onDecided={decide} />
          </Suspense>
        )}
        {question === null && shown.summary !== '' && (
          <p className="break-words whitespace-pre-wrap">{shown.summary}</p>
        )}
        {question === null && <ArgumentsList arguments={shown.arguments} />}
        <dl className="space-y-1 text-sm">
          {question === null && <Fact name={t('approval.may_change')}>{t(`effect_text.${shown.effect}`)}</Fact>}
          {shown.reason !== '' && <Fact name={t('approval.why')}>{shown.reason}</Fact>}
          <Fact name={t('approval.asked')}>
            {t('approval.asked_by')} · <RelativeTime at={shown.requested_at} />
            {conversationHref !== undefined && (
              <>
                {' · '}
                <a href={conversationHref} className="text-accent underline underline-offset-2">
                  {t('approval.show_conversation')}
                </a>
              </>
            )}
          </Fact>
        </dl>
        {question === null && <ApprovalActions approval={shown} onDecided={decide} />}
      </div>
    </article>
  )
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="grid gap-x-4 sm:grid-cols-[minmax(6rem,9rem)_1fr]">
      <dt className="text-muted">{name}</dt>
      <dd className="break-words">{children}</dd>
    </div>
  )
}
