import { Forward } from 'lucide-react'
import { formatDateTime } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'

/** Takes the place of the message box in a conversation that somebody else goes on with. */
export function HandedOver({ to, at }: { readonly to: string | null; readonly at: string }) {
  return (
    <div role="note" className="mx-auto w-full max-w-[45rem] px-4 pb-4 sm:px-6">
      <div className="border-line bg-surface flex items-start gap-3 rounded-lg border px-4 py-3">
        <Forward aria-hidden className="text-muted mt-0.5 size-4 shrink-0" />
        <div className="min-w-0 break-words">
          <p className="font-medium">{to === null ? t('handover.done') : t('handover.done_to', { name: to })}</p>
          <p className="text-muted text-sm">{t('handover.done_text', { time: formatDateTime(at) })}</p>
        </div>
      </div>
    </div>
  )
}
