import { ShieldQuestion } from 'lucide-react'
import type { Untrusted } from '../../contract/grants.ts'
import { classNames } from '../parts/class-names.ts'
import { formatDateTime } from '../text/format.ts'
import { t } from '../text/i18n.ts'

/** What a conversation has read that others may have written, and what follows from it. */
export function UntrustedSource({
  untrusted,
  className,
}: {
  readonly untrusted: Untrusted
  readonly className?: string
}) {
  return (
    <p className={classNames('flex items-start gap-2 text-sm', className)} title={formatDateTime(untrusted.at)}>
      <ShieldQuestion aria-hidden className="text-warn mt-0.5 size-4 shrink-0" />
      <span className="min-w-0 break-words">
        {sourceText(untrusted)} {t('untrusted.means')}
      </span>
    </p>
  )
}

function sourceText({ kind, name }: Untrusted): string {
  if (kind === 'import') return t('untrusted.import')
  if (kind === 'handover') return t('untrusted.handover', { name })
  if (kind === 'hook' || kind === 'watch') return t(`untrusted.${kind}`)
  if (kind === 'client') return t('untrusted.client', { name })
  return name === '' ? t('untrusted.any') : t('untrusted.named', { name })
}
