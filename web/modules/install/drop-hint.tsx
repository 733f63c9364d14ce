import { Upload } from 'lucide-react'
import { t } from '../../text/i18n.ts'

/** Covers the page while a file is dragged over it. */
export function DropHint() {
  return (
    <div className="bg-scrim pointer-events-none fixed inset-0 z-40 flex items-center justify-center p-6">
      <p className="bg-raised border-accent flex items-center gap-3 rounded-xl border-2 border-dashed px-8 py-6 text-lg font-medium shadow-lg">
        <Upload aria-hidden className="text-accent size-6" />
        {t('modules.drop')}
      </p>
    </div>
  )
}
