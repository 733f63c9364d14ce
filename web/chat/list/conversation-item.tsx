import { Link } from '@tanstack/react-router'
import { CalendarClock, Ellipsis } from 'lucide-react'
import { classNames } from '../../parts/class-names.ts'
import { useActiveRun } from '../../client/run-cache.ts'
import { formatDateTime } from '../../text/format.ts'
import { t, noticeWithoutDetail } from '../../text/i18n.ts'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { Menu, type MenuEntry } from '../../parts/controls/menu.tsx'
import { RunState } from '../../parts/feedback/run-state.tsx'
import { Status } from '../../parts/feedback/status.tsx'
import { dragHandlers } from './conversation-drag.ts'
import { MarkedText } from './marked-text.tsx'
import { shortTime } from '../../text/time-groups.ts'
import type { ConversationEntry } from './use-conversation-list.ts'

interface ConversationItemProps {
  readonly conversation: ConversationEntry
  readonly active: boolean
  readonly today: Date
  /** Its actions. */
  readonly entries: readonly MenuEntry[]
  onOpen(): void
}

/** One row of the list: state, title, time of the last change, search hit, and the menu, which takes the time's place. */
export function ConversationItem({ conversation, active, today, entries, onOpen }: ConversationItemProps) {
  const { conversation_id: id, snippet, hit, failure, updated_at: at } = conversation
  const run = useActiveRun(id)
  const title = conversation.title === '' ? t('chat.untitled') : conversation.title
  return (
    <div
      className={classNames(
        'group/item relative rounded-md',
        active ? 'bg-accent-soft' : 'hover:bg-hover focus-within:bg-hover',
      )}
      {...dragHandlers(conversation)}
    >
      <Link
        to="/chat"
        search={hit ? { c: id, m: hit.message_id } : { c: id }}
        aria-current={active ? 'page' : undefined}
        onClick={onOpen}
        data-row-focus
        // The row is dragged, not the link's address.
        draggable={false}
        className="block min-h-9 rounded-md px-2.5 py-1.5 focus-visible:-outline-offset-2 pointer-coarse:pe-9"
      >
        <span className="flex h-6 items-center gap-1.5">
          {run ? (
            <RunState status={run.status} iconOnly />
          ) : (
            failure !== null && <Status tone="danger" label={failedBecause(failure)} iconOnly />
          )}
          {conversation.routine === true && (
            <Status tone="neutral" icon={CalendarClock} label={t('chat.by_routine')} iconOnly />
          )}
          <span className={classNames('min-w-0 flex-1 truncate', active && 'font-medium')}>{title}</span>
          <time
            dateTime={at}
            title={formatDateTime(at)}
            className="shrink-0 text-xs text-muted tabular-nums pointer-fine:group-focus-within/item:opacity-0 pointer-fine:group-hover/item:opacity-0 pointer-fine:group-has-aria-expanded/item:opacity-0"
          >
            {shortTime(new Date(at), today)}
          </time>
        </span>
        {snippet !== null && snippet !== '' && (
          <span className="line-clamp-2 text-sm break-words text-muted">
            <MarkedText text={snippet} ranges={hit?.ranges ?? []} />
          </span>
        )}
      </Link>
      <span className="absolute end-1 top-1 opacity-0 group-focus-within/item:opacity-100 group-hover/item:opacity-100 has-aria-expanded:opacity-100 pointer-coarse:opacity-100">
        <Menu
          trigger={<IconButton label={t('chat.conversation_menu', { title })} icon={Ellipsis} size="sm" side="right" />}
          entries={entries}
          align="end"
        />
      </span>
    </div>
  )
}

function failedBecause(code: string): string {
  const cause = noticeWithoutDetail(code)
  return cause === null ? t('run_status.failed') : t('failure.in_list', { cause })
}
