import { lazy, Suspense } from 'react'
import type { Approval } from '../../contract/chat.ts'
import { Skeleton } from '../parts/skeleton.tsx'

const ApprovalCard = lazy(async () => ({ default: (await import('../parts/approval-card.tsx')).ApprovalCard }))

/** An approval card or question in a conversation. Its code comes with the first one; until then its room is kept. */
export function ConversationCard({ approval }: { readonly approval: Approval }) {
  return (
    <Suspense fallback={<Skeleton className={approval.status === 'pending' ? 'h-56 w-full' : 'h-10 w-full'} />}>
      <ApprovalCard approval={approval} />
    </Suspense>
  )
}
