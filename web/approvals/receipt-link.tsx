import { Download } from 'lucide-react'
import { t } from '../text/i18n.ts'

/** Downloads the signed receipt of an approval. */
export function ReceiptLink({ href }: { readonly href: string }) {
  return (
    <a
      href={href}
      download
      className="text-accent inline-flex items-center gap-1.5 text-sm font-medium underline-offset-2 hover:underline"
    >
      <Download aria-hidden className="size-3.5" />
      {t('receipt.download')}
    </a>
  )
}
