import { ArrowLeft } from 'lucide-react'
import { ApiError } from '../client/api-error.ts'
import { t } from '../text/i18n.ts'
import { Button } from '../parts/controls/button.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'

interface LostFileProps {
  readonly error: unknown
  onRetry(): void
  onClose(): void
}

/**
 * Shown instead of a file that cannot be opened: the reason, and a link back to the list, which a phone does not show
 * alongside.
 */
export function LostFile({ error, onRetry, onClose }: LostFileProps) {
  const gone = error instanceof ApiError && error.status === 404
  return (
    <div className="min-w-0 flex-1 space-y-3 p-4">
      <ErrorNotice
        title={t('files.one_failed')}
        error={error}
        advice={gone ? t('files.gone_advice') : undefined}
        onRetry={onRetry}
      />
      <Button icon={ArrowLeft} onClick={onClose}>
        {t('action.back')}
      </Button>
    </div>
  )
}
