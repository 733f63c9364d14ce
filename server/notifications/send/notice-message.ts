import type { NoticeTopic } from '../../../contract/notification-values.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { iso } from '../../kernel/time.ts'
import type { NoticeFacts } from '../notices.ts'
import { factsOf, nameOf } from './notice-words.ts'
import { type Audience, clean, line, timeIn } from './wording.ts'
import type { Message } from './message.ts'

/** Notices that one message names; the others are counted. */
const NAMED = 10

/** Tells of what has happened: what kind of thing, how its owner calls it, whose it is, when. */
export function noticeMessage(
  id: string,
  notices: readonly NoticeFacts[],
  { language, zone, internal, user_id }: Audience,
  address: string,
): Message {
  const [only] = notices
  const one = notices.length === 1 && only !== undefined
  const lines = notices.slice(0, NAMED).flatMap((notice) => {
    const time = timeIn(notice.created_at, language, zone)
    const foreign = notice.by !== null && notice.by_user !== user_id
    return [
      ...(one ? [] : [line(TITLES[notice.event](nameOf(notice)), language)]),
      foreign ? line(say`Of ${notice.by!}, ${time}.`, language) : clean(time),
      ...(internal
        ? factsOf(notice, language).map((fact) => (typeof fact === 'string' ? clean(fact) : line(fact, language)))
        : []),
      ...(one ? [] : ['']),
    ]
  })
  if (notices.length > NAMED) lines.push(line(say`And ${notices.length - NAMED} more.`, language))
  const title = one ? TITLES[only.event](nameOf(only)) : say`${notices.length} notices`
  const linkOf = ({ path }: NoticeFacts): string => new URL(path, address).href
  return {
    id,
    title: line(title, language),
    lines: [...lines, line(say`Sign in to look at it.`, language)],
    link: one ? linkOf(only) : new URL('/approvals?view=notices', address).href,
    data: {
      type: 'reeve.notices',
      notices: notices.map((notice) => ({
        notice_id: notice.notice_id,
        event: notice.event,
        name: clean(notice.name),
        by: notice.by === null ? null : clean(notice.by),
        at: iso(notice.created_at),
        link: linkOf(notice),
        ...(internal && { detail: notice.detail }),
      })),
    },
  }
}

const TITLES: Readonly<Record<NoticeTopic, (name: string | Sentence) => Sentence>> = {
  routine_paused: (name) => say`The routine “${name}” has been paused.`,
  routine_failed: (name) => say`The routine “${name}” has failed.`,
  routine_stopped: (name) => say`A run of the routine “${name}” was stopped.`,
  report_ready: (name) => say`The report “${name}” is ready.`,
  review_wanted: (name) => say`“${name}” waits for a review.`,
  watch_crossed: (name) => say`The watch “${name}” has crossed its bound.`,
  watch_recovered: (name) => say`The watch “${name}” is back within its bound.`,
  connection_lost: (name) => say`The connection to “${name}” was lost. Connect it again.`,
}
