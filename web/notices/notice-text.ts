import { WATCH_FIGURES } from '../../contract/watch-limits.ts'
import { t, tIfKnown } from '../text/i18n.ts'
import { figureName, figureText } from '../watches/watch-words.ts'
import type { Notice } from './notices-query.ts'

/** What has happened, without its name. */
export function eventText(event: Notice['event']): string {
  return t(`notices.event_${event}`)
}

/** What it is about as its owner calls it; what an installation begins with in the reader's language. */
export function noticeName({ name, detail: { preset } }: Pick<Notice, 'name' | 'detail'>): string {
  return (preset === undefined ? null : tIfKnown(`watches.preset_${preset}`)) ?? name
}

/** Whose it is, and the small facts. */
export function detailText({ by, event, detail }: Notice): string {
  const isWatch = event === 'watch_crossed' || event === 'watch_recovered'
  const facts = isWatch ? watchFacts(detail) : Object.entries(detail).map(([name, value]) => factText(name, value))
  return [...(by === null ? [] : [t('notices.by', { name: by })]), ...facts].join(' · ')
}

function factText(name: string, value: string | number): string {
  if (name === 'reason') return String(value)
  if (name === 'failures') return t('notices.seen_alone', { what: t('routines.failures'), value })
  return (name === 'by' ? tIfKnown(`routines.paused_${value}`) : null) ?? `${name}: ${value}`
}

/** Where something was seen, what, and how many more there are. */
function watchFacts(detail: Notice['detail']): string[] {
  const { count, machine, figure: name, value, bound, preset: _, ...others } = detail
  const figure = WATCH_FIGURES.find((one) => one === name)
  const facts: string[] = []
  if (machine !== undefined) facts.push(String(machine))
  if (figure !== undefined && value !== undefined) {
    const seen = { what: figureName(figure), value: figureText(figure, value) }
    facts.push(
      bound === undefined
        ? t('notices.seen_alone', seen)
        : t('notices.seen', { ...seen, bound: figureText(figure, bound) }),
    )
  }
  if (typeof count === 'number' && count > 1)
    facts.push(machine === undefined ? t('tables.rows', { count }) : t('watches.more', { count: count - 1 }))
  return [...facts, ...Object.entries(others).map(([other, said]) => factText(other, said))]
}
