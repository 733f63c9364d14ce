import { formatNumber } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { timeOfDay, weekdayNames } from '../text/zone-time.ts'
import { draftOf } from './schedule-draft.ts'

/** When a routine runs, in the words of its form; null: it has none for this expression. */
export function scheduleWords(schedule: { readonly cron: string; readonly zone: string }): string | null {
  const { often, time, days, day } = draftOf(schedule, schedule.zone)
  if (often === 'cron' || often === 'never') return null
  const parts = [t(`routines.often_${often}`)]
  if (often === 'weekly') {
    const names = weekdayNames().filter(({ index }) => days.includes(index))
    parts.push(names.map(({ name }) => name).join(', '))
  }
  if (often === 'monthly') parts.push(`${t('routines.day')} ${formatNumber(day)}`)
  parts.push(often === 'hourly' ? `${t('routines.minute')} ${formatNumber(Number(time.slice(3)))}` : timeOfDay(time))
  return parts.join(' · ')
}
