import { Wrench } from 'lucide-react'
import type { CallRepair } from '../../../contract/chat.ts'
import { t } from '../../text/i18n.ts'

/** That the model's call was mended before it was checked, and of what. */
export function RepairedCall({ repaired }: { readonly repaired: readonly CallRepair[] }) {
  return (
    <p className="flex items-start gap-2 text-sm">
      <Wrench aria-hidden className="text-muted mt-0.5 size-4 shrink-0" />
      <span className="min-w-0 break-words">
        {t('call.repaired', { what: repaired.map((one) => t(`call.repaired_${one}`)).join(', ') })}
      </span>
    </p>
  )
}
