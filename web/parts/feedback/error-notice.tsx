import { OctagonAlert, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from '../class-names.ts'
import { explainError, isWorthRetrying } from '../../client/explain-error.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../controls/button.tsx'

export interface ErrorNoticeProps {
  /** What failed: "The conversations could not be loaded". */
  title: string
  /** Why; usually an ApiError, explained by its code. */
  error: unknown
  /** What to do, beyond trying again. */
  advice?: ReactNode
  onRetry?: () => void
  className?: string
}

/** What failed, why, what to do, and a retry button where retrying can help. */
export function ErrorNotice({ title, error, advice, onRetry, className }: ErrorNoticeProps) {
  return (
    <div
      role="alert"
      className={classNames(
        'border-danger/30 bg-danger-soft flex items-start gap-3 rounded-lg border px-4 py-3',
        className,
      )}
    >
      <OctagonAlert aria-hidden className="text-danger mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{title}</p>
        <p className="mt-0.5 break-words">{explainError(error)}</p>
        {advice !== undefined && <div className="mt-1">{advice}</div>}
        {onRetry !== undefined && isWorthRetrying(error) && (
          <Button size="sm" icon={RotateCw} className="mt-3" onClick={onRetry}>
            {t('action.retry')}
          </Button>
        )}
      </div>
    </div>
  )
}
