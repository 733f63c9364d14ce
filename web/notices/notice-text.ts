import { t } from '../text/i18n.ts'
import type { Notice } from './notices-query.ts'

/** What has happened, without its name. */
export function eventText(event: Notice['event']): string {
  return t(`notices.event_${event}`)
}

/** Whose it is, and the small facts. */
export function detailText({ by, detail }: Notice): string {
  const facts = Object.entries(detail).map(([name, value]) => (name === 'reason' ? String(value) : `${name}: ${value}`))
  return [...(by === null ? [] : [t('notices.by', { name: by })]), ...facts].join(' · ')
}
