import { t } from '../i18n.ts'
import { Progress } from './progress.tsx'

/** While a page's code or the session is on its way, beyond 150 ms. */
export function PagePending() {
  return <Progress label={t('state.loading')} className="h-0.5 rounded-none" />
}
