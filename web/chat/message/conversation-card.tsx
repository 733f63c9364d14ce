import { lazy, Suspense } from 'react'
import type { ApprovalCardProps } from '../../approvals/approval-card.tsx'
import { Skeleton } from '../../parts/feedback/skeleton.tsx'

const ApprovalCard = lazy(async () => ({ default: (await import('../../approvals/approval-card.tsx')).ApprovalCard }))

/**
 * An approval card or question in a conversation. Its code loads with the first one; until then a placeholder keeps its
 * space.
 */
export function ConversationCard({ approval, step }: Pick<ApprovalCardProps, 'approval' | 'step'>) {
  return (
    <Suspense fallback={<Skeleton className={approval.status === 'pending' ? 'h-56 w-full' : 'h-10 w-full'} />}>
      <ApprovalCard approval={approval} step={step} />
    </Suspense>
  )
}
