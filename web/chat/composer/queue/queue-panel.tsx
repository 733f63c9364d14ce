import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../../../text/i18n.ts'
import { QueuedItem } from './queued-item.tsx'
import { queuedQuery } from './queued-query.ts'
import { useMoves } from './use-moves.ts'

interface QueuePanelProps {
  readonly conversationId: string
  /** A run is active: what is not held is sent after it. */
  readonly running: boolean
}

/** The messages that are sent after the run, in their order, above the message box. */
export function QueuePanel({ conversationId, running }: QueuePanelProps) {
  const items = useQuery(queuedQuery(conversationId)).data?.items ?? []
  const [editing, setEditing] = useState<string | null>(null)
  const { list, move, moving } = useMoves(conversationId, items)
  if (items.length === 0) return null
  const held = items.some((item) => item.held)
  return (
    <section
      aria-label={t('queue.title')}
      className="mb-2 overflow-hidden rounded-xl border border-line bg-sunken text-sm"
    >
      <p className="px-3.5 pt-2 pb-1 text-xs text-muted">{t(held ? 'queue.held' : 'queue.waits')}</p>
      <ol ref={list} className="max-h-[30dvh] overflow-y-auto overscroll-contain pb-1">
        {items.map((item, i) => (
          <QueuedItem
            key={item.queued_id}
            item={item}
            running={running}
            editing={editing === item.queued_id}
            onEdit={setEditing}
            onUp={i === 0 ? null : () => move(item.queued_id, 'up', items[i - 1]!.queued_id)}
            onDown={i === items.length - 1 ? null : () => move(item.queued_id, 'down', items[i + 2]?.queued_id ?? null)}
            moving={moving}
          />
        ))}
      </ol>
    </section>
  )
}
