import { useCallback, useMemo, useRef } from 'react'
import { t } from '../../text/i18n.ts'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import type { MenuEntry } from '../../parts/controls/menu.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { ConversationItem } from './conversation-item.tsx'
import { groupByTime } from '../../text/time-groups.ts'
import type { ConversationEntry, ListedConversations } from './use-conversation-list.ts'
import { useToday } from './use-today.ts'
import { type VirtualRow, VirtualRows } from '../../parts/virtual/virtual-rows.tsx'

interface ConversationRowsProps {
  readonly list: ListedConversations
  readonly activeId: string | null
  /** Text for an empty list. */
  readonly emptyText: string
  entriesFor(conversation: ConversationEntry): readonly MenuEntry[]
  onOpen(): void
}

/** The conversations: pinned ones first, then by when they last changed, or search results. */
export function ConversationRows({ list, activeId, emptyText, entriesFor, onOpen }: ConversationRowsProps) {
  const { pinned, others, searched } = list
  const today = useToday()
  const groups = useMemo(
    () => [
      ...(pinned.length > 0 ? [{ title: t('chat.pinned'), items: pinned }] : []),
      ...(searched === '' ? groupByTime(others, today) : [{ title: null, items: others }]),
    ],
    [pinned, others, searched, today],
  )
  const item = (conversation: ConversationEntry): VirtualRow => ({
    key: conversation.conversation_id,
    estimate: conversation.snippet ? 76 : 36,
    render: () => (
      <ConversationItem
        conversation={conversation}
        active={conversation.conversation_id === activeId}
        today={today}
        entries={entriesFor(conversation)}
        onOpen={onOpen}
      />
    ),
  })
  const rows = groups.flatMap(({ title, items }) => [...(title === null ? [] : [heading(title)]), ...items.map(item)])
  const place = useRef<HTMLDivElement>(null)
  const { loadMore } = list
  const more = useRef(loadMore)
  more.current = loadMore
  const onNearEnd = useCallback(() => more.current(), [])
  const found = list.searched !== '' && !list.pending
  return (
    <div ref={place} className="flex min-h-0 flex-1 flex-col">
      {found && (
        <p role="status" className="sr-only">
          {t('chat.found', { count: others.length })}
        </p>
      )}
      <VirtualRows
        label={t('chat.conversations')}
        rows={list.error === null ? rows : []}
        hasMore={list.hasMore}
        stickyHeadings
        onNearEnd={onNearEnd}
        onLeave={() => place.current?.closest('[data-conversations]')?.querySelector('input')?.focus()}
      >
        {list.pending && <SkeletonRows rows={8} className="h-7" />}
        {list.error !== null && <ErrorNotice title={t('chat.list_failed')} error={list.error} onRetry={list.reload} />}
        {!list.pending && list.error === null && rows.length === 0 && (
          <p className="px-2.5 py-4 text-muted">{emptyText}</p>
        )}
      </VirtualRows>
    </div>
  )
}

function heading(text: string): VirtualRow {
  return {
    key: `heading ${text}`,
    estimate: 28,
    heading: true,
    // As high as VirtualRows keeps free for it, and opaque: rows pass below it.
    render: () => (
      <h2 className="flex h-7 items-end bg-surface px-2.5 max-lg:bg-raised pb-1 text-xs font-medium text-muted">
        {text}
      </h2>
    ),
  }
}
