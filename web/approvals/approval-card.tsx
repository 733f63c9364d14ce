import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useRef, useState } from 'react'
import type { Approval } from '../../contract/chat.ts'
import { sessionQuery } from '../client/queries.ts'
import { classNames } from '../parts/class-names.ts'
import { t } from '../text/i18n.ts'
import { ApprovalActions } from './approval-actions.tsx'
import { ApprovalContext } from './approval-context.tsx'
import { ApprovalRecord } from './approval-record.tsx'
import { ApproveTogether } from './approve-together.tsx'
import { ApprovalSubject } from './approval-subject.tsx'
import { EffectBadge } from '../parts/feedback/effect-badge.tsx'
import { decideOwn } from './use-decision.ts'
import { VotesLine } from './votes-line.tsx'
import { useSeeing } from './seen-cards.ts'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { Status } from '../parts/feedback/status.tsx'

const ApprovalPreview = lazy(async () => ({ default: (await import('./approval-preview.tsx')).ApprovalPreview }))
const MakeRule = lazy(async () => ({ default: (await import('../rules/of-call/make-rule.tsx')).MakeRule }))
const RepairedCall = lazy(async () => ({ default: (await import('../parts/feedback/repaired-call.tsx')).RepairedCall }))
const UntrustedSource = lazy(async () => ({ default: (await import('./untrusted-source.tsx')).UntrustedSource }))
const QuestionBody = lazy(async () => ({ default: (await import('./question-body.tsx')).QuestionBody }))

export interface ApprovalCardProps {
  approval: Approval
  /** Called with the decided card once the server has accepted the decision. */
  onDecided?: (approval: Approval) => void
  /** Link to the conversation that the card belongs to; for the inbox. */
  conversationHref?: string
  /** A link points to this card: it is outlined. */
  highlighted?: boolean
  /** On the last card of a step: the cards of all its calls, to be approved together below it. */
  step?: readonly Approval[] | undefined
}

/**
 * A tool call waiting for a decision, or a module's question, made for deciding: what it is and what it may do, the thing
 * itself, one line about it, and the buttons, which stay in view. They arm after half a second. Afterwards it stays as a
 * record.
 */
export function ApprovalCard({
  approval,
  onDecided,
  conversationHref,
  highlighted = false,
  step = [],
}: ApprovalCardProps) {
  const [decided, setDecided] = useState<Approval | null>(null)
  const card = useRef<HTMLElement>(null)
  const admin = useQuery(sessionQuery).data?.user?.admin === true
  const shown = approval.status === 'pending' ? (decided ?? approval) : approval
  useSeeing(shown.approval_id, card, shown.status === 'pending')
  const frame = classNames(
    'bg-surface scroll-mt-20 rounded-lg border',
    highlighted && 'outline-2 outline-offset-2 outline-focus',
  )
  if (shown.status !== 'pending') {
    return (
      <>
        <article id={shown.approval_id} className={classNames(frame, 'border-line overflow-hidden')}>
          <ApprovalRecord approval={shown} conversationHref={conversationHref} />
        </article>
        <ApproveTogether cards={step} />
      </>
    )
  }
  const { question } = shown
  const decide = (next: Approval): void => {
    setDecided(next)
    onDecided?.(next)
  }
  const headingId = `${shown.approval_id}-title`
  return (
    <>
      <article
        ref={card}
        id={shown.approval_id}
        aria-labelledby={headingId}
        className={classNames(frame, 'border-warn/40 shadow-sm')}
      >
        <header
          data-edge
          className="bg-warn-soft flex flex-wrap items-center gap-x-3 gap-y-1 rounded-t-lg px-4 py-2 text-base"
        >
          <Status tone="warn" label={t(question === null ? 'approval.needed' : 'question.needed')} />
          <h3 id={headingId} className="min-w-0 flex-1 basis-40 font-semibold break-words">
            {shown.title}
          </h3>
          {question === null && <EffectBadge effect={shown.effect} />}
        </header>
        <div className="space-y-2.5 px-4 py-3">
          {question === null ? (
            <>
              <ApprovalSubject approval={shown} />
              {shown.repaired !== undefined && (
                <Suspense fallback={<div className="h-5" />}>
                  <RepairedCall repaired={shown.repaired} />
                </Suspense>
              )}
              {shown.preview !== undefined && (
                <Suspense fallback={<SkeletonRows rows={3} className="h-5" />}>
                  <ApprovalPreview preview={shown.preview} />
                </Suspense>
              )}
              {shown.untrusted !== undefined && (
                <Suspense fallback={<div className="h-5" />}>
                  <UntrustedSource untrusted={shown.untrusted} />
                </Suspense>
              )}
              <VotesLine approval={shown} />
              <ApprovalContext approval={shown} conversationHref={conversationHref} />
              {admin && shown.kind === 'call' && (
                // As high as what is loaded: the buttons below must not move.
                <Suspense fallback={<div className="h-7" />}>
                  <MakeRule module={shown.module} tool={shown.tool} arguments={shown.arguments} />
                </Suspense>
              )}
            </>
          ) : (
            <>
              <ApprovalContext approval={shown} conversationHref={conversationHref} />
              <Suspense fallback={<SkeletonRows rows={3} className="h-9" />}>
                <QuestionBody approval={shown} question={question} onDecided={decide} />
              </Suspense>
            </>
          )}
        </div>
        <div data-edge className="h-px" />
        {question === null && (
          <ApprovalActions approval={shown} send={decideOwn} onDecided={decide} withdraws={shown.needs !== undefined} />
        )}
      </article>
      <ApproveTogether cards={step} />
    </>
  )
}
