import { formatBytes } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Progress } from '../../parts/feedback/progress.tsx'

/** An export in progress: bytes received, and a cancel button. */
export function ExportProgress({ bytes, onCancel }: { readonly bytes: number | null; onCancel(): void }) {
  if (bytes === null) return null
  return (
    <div className="border-line flex items-center gap-3 border-b px-3 py-1.5 text-sm">
      <span className="whitespace-nowrap tabular-nums">
        {t('tables.exporting')} {bytes > 0 && formatBytes(bytes)}
      </span>
      <Progress label={t('tables.exporting')} className="min-w-0 flex-1" />
      <Button size="sm" onClick={onCancel}>
        {t('action.cancel')}
      </Button>
    </div>
  )
}
