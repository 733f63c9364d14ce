import { t } from '../text/i18n.ts'
import { Notice } from '../parts/feedback/notice.tsx'

/** How it went at the authorization server, for whoever has just come back from there. */
export function ReturnedNotice() {
  const went = new URLSearchParams(window.location.search).get('connected')
  if (went === 'yes') return null
  if (went === 'no') return <Notice tone="danger">{t('connections.returned_no')}</Notice>
  return went === 'expired' ? <Notice tone="warn">{t('connections.returned_expired')}</Notice> : null
}
