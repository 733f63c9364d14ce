import { t } from '../../text/i18n.ts'
import { Progress } from './progress.tsx'

/** Shown while a page's code or the session is loading, after 150 ms. */
export function PagePending() {
  return <Progress label={t('state.loading')} className="h-0.5 rounded-none" />
}
