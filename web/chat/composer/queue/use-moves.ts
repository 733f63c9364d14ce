import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { QueuedMessage } from '../../../../contract/chat.ts'
import { call } from '../../../client/api.ts'
import { explainError } from '../../../client/explain-error.ts'
import { toast } from '../../../parts/feedback/toast.tsx'
import { queuedQuery } from './queued-query.ts'

type Way = 'up' | 'down'

/** Moves queued messages. The button that moved one keeps the focus, or the other one once it can go no further. */
export function useMoves(conversation_id: string, items: readonly QueuedMessage[]) {
  const list = useRef<HTMLOListElement>(null)
  const moved = useRef<{ readonly id: string; readonly way: Way } | null>(null)
  const client = useQueryClient()
  const { queryKey } = queuedQuery(conversation_id)
  const { mutate, isPending } = useMutation({
    mutationFn: ({ id, before }: { id: string; way: Way; before: string | null }) =>
      call('POST /api/chat/conversations/{conversation_id}/queue/{queued_id}/move', {
        params: { conversation_id, queued_id: id },
        body: { before },
      }),
    networkMode: 'always',
    onSuccess: ({ items: now }, { id, way }) => {
      moved.current = { id, way }
      client.setQueryData(queryKey, { items: now })
    },
    onError: (error) => toast({ text: explainError(error), tone: 'danger' }),
    onSettled: () => client.invalidateQueries({ queryKey }),
  })
  useEffect(() => {
    const { id, way } = moved.current ?? {}
    if (id === undefined || isPending) return
    moved.current = null
    const button = (which: string) =>
      list.current?.querySelector<HTMLButtonElement>(`[data-moves="${which} ${id}"]:enabled`)
    const target = button(way!) ?? button(way === 'up' ? 'down' : 'up')
    target?.focus()
  }, [items, isPending])
  return { list, moving: isPending, move: (id: string, way: Way, before: string | null) => mutate({ id, way, before }) }
}
