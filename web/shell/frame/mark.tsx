import { t } from '../../text/i18n.ts'

/** The product's logo and name. */
export function Mark() {
  return (
    <span className="flex items-center gap-2.5">
      <img src="/favicon.svg" alt="" width={24} height={24} />
      <span className="text-md font-semibold tracking-tight">{t('app.name')}</span>
    </span>
  )
}
