import { t } from '../../text/i18n.ts'
import { Skeleton } from '../../parts/feedback/skeleton.tsx'

/** Placeholder for a conversation that is loading. */
export function ConversationSkeleton() {
  return (
    <div role="status" className="mx-auto w-full max-w-3xl flex-1 space-y-6 overflow-hidden px-4 py-6 sm:px-6">
      <span className="sr-only">{t('state.loading')}</span>
      <Skeleton className="ms-auto h-10 w-2/5 rounded-xl" />
      <div className="space-y-2.5">
        <Skeleton className="h-4 w-11/12" />
        <Skeleton className="h-4 w-full" />
        <Skeleton className="h-4 w-3/5" />
      </div>
      <Skeleton className="ms-auto h-10 w-1/3 rounded-xl" />
      <div className="space-y-2.5">
        <Skeleton className="h-4 w-full" />
        <Skeleton className="h-4 w-4/5" />
      </div>
    </div>
  )
}
