import { ArrowLeft, RotateCcw, Trash2 } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { formatRelative } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { daysLeft } from './bin-days.ts'
import { conversationActions } from './conversation-actions.ts'
import { type ConversationEntry, entriesOf } from './conversation-pages.ts'
import { useBin } from './use-conversation-list.ts'
import { VirtualRows } from '../../parts/virtual/virtual-rows.tsx'

/** Deleted conversations: restore one, or permanently delete it early. */
export function BinList({ onClose }: { onClose(): void }) {
  const bin = useBin()
  const items = bin.data ? entriesOf(bin.data) : []
  /** What is about to be permanently deleted; `all`: the whole bin. */
  const [asked, setAsked] = useState<ConversationEntry | 'all' | null>(null)
  const { isFetchingNextPage, fetchNextPage } = bin
  const onNearEnd = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage()
  }, [isFetchingNextPage, fetchNextPage])
  // Focus the heading, not the first button, which would show its tooltip.
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <div data-conversations className="flex h-full min-h-0 flex-col">
      <div className="flex items-center gap-1 p-3 pb-1">
        <IconButton label={t('chat.bin_close')} icon={ArrowLeft} size="sm" onClick={onClose} />
        <h2 ref={heading} tabIndex={-1} className="min-w-0 flex-1 truncate font-medium outline-none">
          {t('chat.bin_title')}
        </h2>
        {items.length > 0 && (
          <Button size="sm" variant="ghost" onClick={() => setAsked('all')}>
            {t('chat.bin_empty')}
          </Button>
        )}
      </div>
      <p className="px-5 pb-2 text-sm text-muted">{t('chat.bin_text')}</p>
      <VirtualRows
        label={t('chat.bin')}
        rows={items.map((conversation) => ({
          key: conversation.conversation_id,
          estimate: 54,
          render: () => <BinItem conversation={conversation} onPurge={() => setAsked(conversation)} />,
        }))}
        hasMore={bin.hasNextPage}
        onNearEnd={onNearEnd}
      >
        {bin.isPending && <SkeletonRows rows={4} className="h-11" />}
        {bin.isError && (
          <ErrorNotice title={t('chat.list_failed')} error={bin.error} onRetry={() => void bin.refetch()} />
        )}
        {bin.isSuccess && items.length === 0 && <p className="px-2.5 py-4 text-muted">{t('chat.bin_none')}</p>}
      </VirtualRows>
      {asked && <PurgeDialog asked={asked} onClose={() => setAsked(null)} />}
    </div>
  )
}

function BinItem({ conversation, onPurge }: { readonly conversation: ConversationEntry; onPurge(): void }) {
  const { conversation_id: id, deleted_at: deletedAt } = conversation
  const title = conversation.title === '' ? t('chat.untitled') : conversation.title
  return (
    <div className="flex items-center rounded-md ps-2.5 hover:bg-hover focus-within:bg-hover">
      <div className="min-w-0 flex-1 py-1.5">
        <p className="truncate">{title}</p>
        {deletedAt !== null && (
          <p className="truncate text-xs text-muted">
            {t('chat.bin_when', { deleted: formatRelative(deletedAt), days: daysLeft(deletedAt, Date.now()) })}
          </p>
        )}
      </div>
      <IconButton
        label={t('chat.restore', { title })}
        icon={RotateCcw}
        size="sm"
        data-row-focus
        onClick={() => void conversationActions.restore(id)}
      />
      <IconButton label={t('chat.purge', { title })} icon={Trash2} size="sm" variant="danger" onClick={onPurge} />
    </div>
  )
}

function PurgeDialog({ asked, onClose }: { readonly asked: ConversationEntry | 'all'; onClose(): void }) {
  const [busy, setBusy] = useState(false)
  const purge = async (): Promise<void> => {
    setBusy(true)
    await (asked === 'all' ? conversationActions.emptyBin() : conversationActions.purge(asked.conversation_id))
    onClose()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      size="sm"
      title={t(asked === 'all' ? 'chat.bin_empty' : 'chat.purge_title')}
      description={asked === 'all' ? t('chat.bin_empty_text') : t('chat.purge_text', { title: asked.title })}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button variant="danger" busy={busy} onClick={() => void purge()}>
            {t('chat.purge_confirm')}
          </Button>
        </>
      }
    />
  )
}
