import { formatBytes } from '../format.ts'
import { t } from '../i18n.ts'
import { Button } from '../parts/button.tsx'
import { Progress } from '../parts/progress.tsx'

/** An export under way: how much has come, and a way to stop it. */
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
