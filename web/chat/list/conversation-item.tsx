import { Link } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { classNames } from '../../parts/class-names.ts'
import { useActiveRun } from '../../client/run-cache.ts'
import { formatRelative } from '../../text/format.ts'
import { t, tIfKnown } from '../../text/i18n.ts'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { Menu, type MenuEntry } from '../../parts/controls/menu.tsx'
import { RunState } from '../../parts/feedback/run-state.tsx'
import { Status } from '../../parts/feedback/status.tsx'
import { dragHandlers } from './conversation-drag.ts'
import { MarkedText } from './marked-text.tsx'
import type { ConversationEntry } from './use-conversation-list.ts'

interface ConversationItemProps {
  readonly conversation: ConversationEntry
  readonly active: boolean
  /** Its actions. */
  readonly entries: readonly MenuEntry[]
  onOpen(): void
}

/** One row of the list: title, active run, search hit, time of the last change, and menu. */
export function ConversationItem({ conversation, active, entries, onOpen }: ConversationItemProps) {
  const { conversation_id: id, snippet, hit } = conversation
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
        className="block rounded-md py-1.5 ps-2.5 pe-9 focus-visible:-outline-offset-2"
      >
        <span className="flex items-center gap-1.5">
          {run && <RunState status={run.status} iconOnly />}
          {!run && conversation.failure !== null && (
            <Status tone="danger" label={failedBecause(conversation.failure)} iconOnly />
          )}
          <span className={classNames('min-w-0 flex-1 truncate', active && 'font-medium')}>{title}</span>
        </span>
        {snippet !== null && snippet !== '' && (
          <span className="line-clamp-2 text-sm break-words text-muted">
            <MarkedText text={snippet} ranges={hit?.ranges ?? []} />
          </span>
        )}
        <span className="block truncate text-xs text-muted">{formatRelative(conversation.updated_at)}</span>
      </Link>
      <span className="absolute end-1 top-1.5 opacity-0 group-focus-within/item:opacity-100 group-hover/item:opacity-100 has-aria-expanded:opacity-100 pointer-coarse:opacity-100">
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
  const cause = tIfKnown(`notice.${code}`)
  return cause === null ? t('run_status.failed') : t('failure.in_list', { cause })
}
