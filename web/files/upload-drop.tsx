import { Upload } from 'lucide-react'
import { t } from '../text/i18n.ts'

/** Covers the page while files are dragged over it, including a PDF viewer, which would otherwise take the drop. */
export function UploadDrop() {
  return (
    <div className="bg-scrim fixed inset-0 z-40 flex items-center justify-center p-6">
      <p className="bg-raised border-accent flex items-center gap-3 rounded-xl border-2 border-dashed px-8 py-6 text-lg font-medium shadow-lg">
        <Upload aria-hidden className="text-accent size-6" />
        {t('files.drop')}
      </p>
    </div>
  )
}
