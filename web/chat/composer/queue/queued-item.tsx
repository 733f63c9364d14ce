import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, CircleAlert, Paperclip, Pause, Pencil, SendHorizontal, Clock, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { QueuedMessage } from '../../../../contract/chat.ts'
import { call } from '../../../client/api.ts'
import { ApiError } from '../../../client/api-error.ts'
import { explainError } from '../../../client/explain-error.ts'
import { addRun } from '../../../client/run-cache.ts'
import { t } from '../../../text/i18n.ts'
import { Button } from '../../../parts/controls/button.tsx'
import { IconButton } from '../../../parts/controls/icon-button.tsx'
import { toast } from '../../../parts/feedback/toast.tsx'
import { queuedQuery } from './queued-query.ts'

interface QueuedItemProps {
  readonly item: QueuedMessage
  readonly running: boolean
  readonly editing: boolean
  /** Begins to change the message with this id; null ends it. */
  onEdit(id: string | null): void
  /** Moves it by one; null at that end. */
  readonly onUp: (() => void) | null
  readonly onDown: (() => void) | null
  readonly moving: boolean
}

/** One queued message: its text, why it has not been sent, and what can be done with it. */
export function QueuedItem({ item, running, editing, onEdit, onUp, onDown, moving }: QueuedItemProps) {
  const { conversation_id, queued_id, message, attachments, held, problem } = item
  const client = useQueryClient()
  const params = { conversation_id, queued_id }
  const action = useMutation({
    mutationFn: async (wish: 'remove' | 'send' | { readonly text: string }) => {
      if (wish === 'remove')
        await call('DELETE /api/chat/conversations/{conversation_id}/queue/{queued_id}', { params })
      else if (wish === 'send') {
        const sent = await call('POST /api/chat/conversations/{conversation_id}/queue/{queued_id}/send', { params })
        if (sent.run_id !== null) addRun(conversation_id, sent.run_id)
      } else {
        const body = { message: wish.text }
        await call('PATCH /api/chat/conversations/{conversation_id}/queue/{queued_id}', { params, body })
      }
    },
    networkMode: 'always',
    onSuccess: () => onEdit(null),
    onError: (error, wish) => {
      if (!(error instanceof ApiError) || error.code !== 'queued_sent')
        return toast({ text: explainError(error), tone: 'danger' })
      // What was typed into it is not lost with it.
      const lost = typeof wish === 'object' && wish.text !== message
      toast({ text: t(lost ? 'queue.sent_while_edited' : 'queue.already_sent'), tone: 'warn' })
      if (!lost) onEdit(null)
    },
    onSettled: () => client.invalidateQueries({ queryKey: queuedQuery(conversation_id).queryKey }),
  })
  const Icon = problem !== null ? CircleAlert : held ? Pause : Clock
  return (
    <li className="px-3.5 py-1 not-first:border-t not-first:border-line">
      {editing ? (
        <QueuedEditor
          message={message}
          busy={action.isPending}
          onSave={(text) => action.mutate({ text })}
          onCancel={() => onEdit(null)}
        />
      ) : (
        <div className="flex items-center gap-2">
          <Icon
            role="img"
            aria-label={t(problem !== null ? 'queue.refused' : held ? 'queue.is_held' : 'queue.is_waiting')}
            className={`size-4 shrink-0 ${problem !== null ? 'text-danger' : held ? 'text-warn' : 'text-muted'}`}
          />
          <p className="min-w-0 flex-1 truncate">{message}</p>
          {attachments.length > 0 && (
            <span className="flex shrink-0 items-center gap-1 text-xs text-muted" title={names(attachments)}>
              <Paperclip aria-hidden className="size-3.5" />
              <span className="sr-only">{t('chat.attachments')}</span>
              {attachments.length}
            </span>
          )}
          {held && (
            <Button
              size="sm"
              icon={running ? undefined : SendHorizontal}
              busy={action.isPending}
              onClick={() => action.mutate('send')}
            >
              {t(running ? 'queue.send_after' : 'chat.send')}
            </Button>
          )}
          <span className="flex shrink-0">
            {(onUp ?? onDown) !== null &&
              (
                [
                  ['up', onUp, ArrowUp],
                  ['down', onDown, ArrowDown],
                ] as const
              ).map(([way, onMove, icon]) => (
                <IconButton
                  key={way}
                  data-moves={`${way} ${queued_id}`}
                  label={t(`queue.${way}`)}
                  icon={icon}
                  size="sm"
                  disabled={onMove === null || moving}
                  onClick={() => onMove?.()}
                />
              ))}
            <IconButton label={t('queue.edit')} icon={Pencil} size="sm" onClick={() => onEdit(queued_id)} />
            <IconButton
              label={t('queue.remove')}
              icon={X}
              size="sm"
              disabled={action.isPending}
              onClick={() => action.mutate('remove')}
            />
          </span>
        </div>
      )}
      {problem !== null && <p className="ps-6 pb-1 break-words text-danger">{problem.detail}</p>}
    </li>
  )
}

interface QueuedEditorProps {
  readonly message: string
  readonly busy: boolean
  onSave(text: string): void
  onCancel(): void
}

/** The text of a queued message while it is changed: Enter keeps it, Escape leaves it as it was. */
function QueuedEditor({ message, busy, onSave, onCancel }: QueuedEditorProps) {
  const [text, setText] = useState(message)
  const box = useRef<HTMLTextAreaElement>(null)
  useEffect(() => box.current?.focus(), [])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return
    if (event.key === 'Escape') onCancel()
    else if (event.key === 'Enter' && !event.shiftKey && text.trim() !== '') onSave(text)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="py-1">
      <textarea
        ref={box}
        value={text}
        rows={Math.min(6, text.split('\n').length)}
        readOnly={busy}
        aria-label={t('queue.edit')}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        className="block w-full resize-none rounded-md border border-line-strong bg-surface px-2.5 py-1.5 focus-visible:outline-offset-0 max-sm:text-[1rem]"
      />
      <div className="mt-1.5 flex justify-end gap-2">
        <Button size="sm" variant="ghost" onClick={onCancel}>
          {t('action.cancel')}
        </Button>
        <Button size="sm" variant="primary" busy={busy} disabled={text.trim() === ''} onClick={() => onSave(text)}>
          {t('action.save')}
        </Button>
      </div>
    </div>
  )
}

function names(attachments: QueuedMessage['attachments']): string {
  return attachments.map(({ name }) => name).join(', ')
}
