import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Undo2, X } from 'lucide-react'
import { useEffect, useId, useRef } from 'react'
import type { Message } from '../../../contract/chat.ts'
import type { Change } from '../../changes/changes-query.ts'
import { useUndo } from '../../changes/use-undo.ts'
import { useAnnouncements } from '../../chat/thread/use-announcements.ts'
import { messageListPart } from '../../chat/thread/message-list-part.ts'
import { isFinal } from '../../chat/message/is-final.ts'
import { useConversation } from '../../chat/thread/use-conversation.ts'
import { call as request } from '../../client/api.ts'
import { addRun } from '../../client/run-cache.ts'
import { Button } from '../../parts/controls/button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { useLater } from '../../parts/later.ts'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Skeleton } from '../../parts/feedback/skeleton.tsx'
import { t } from '../../text/i18n.ts'
import type { Host } from '../hosts-query.ts'
import type { StartedCall } from './start-call.ts'

interface StartedCallsProps {
  readonly host: Host
  readonly calls: readonly StartedCall[]
  onClose(call: StartedCall): void
}

/** The operations that were started on this page, the newest first: what a conversation shows of them, in place. */
export function StartedCalls({ host, calls, onClose }: StartedCallsProps) {
  return (
    <div className="space-y-4">
      {calls.map((call) => (
        <OneCall key={call.conversation_id} host={host} call={call} onClose={() => onClose(call)} />
      ))}
    </div>
  )
}

interface OneCallProps {
  readonly host: Host
  readonly call: StartedCall
  onClose(): void
}

function OneCall({ host, call, onClose }: OneCallProps) {
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  // The row whose menu began it may be far below.
  useEffect(() => heading.current?.focus(), [call.run_id])
  const part = useLater(messageListPart)
  const { conversation_id: c } = call
  const { state, activeRun, reload, refresh } = useConversation(c)
  const begun = state.messages.findIndex(({ run_id, role }) => run_id === call.run_id && role === 'assistant')
  const answers = begun === -1 ? [] : state.messages.slice(begun).filter(({ role }) => role === 'assistant')
  const ended = answers.length > 0 && activeRun === null && answers.every(isFinal)
  useAnnouncements(c, activeRun !== null)
  const queryClient = useQueryClient()
  useEffect(() => {
    if (!ended) return
    for (const key of ['look', 'changes', 'hosts']) void queryClient.invalidateQueries({ queryKey: [key] })
  }, [ended, answers.length, queryClient])
  return (
    <section aria-labelledby={id} className="border-line bg-sunken/50 rounded-lg border p-3 sm:p-4">
      <div className="mb-3 flex items-center gap-3">
        <h3
          ref={heading}
          id={id}
          tabIndex={-1}
          className="min-w-0 flex-1 scroll-mt-20 font-semibold break-words outline-none"
        >
          {call.title}
        </h3>
        <Link to="/chat" search={{ c }} className="text-accent text-sm underline underline-offset-2">
          {t('approval.show_conversation')}
        </Link>
        <IconButton label={t('dialog.close')} icon={X} size="sm" onClick={onClose} />
      </div>
      {state.phase === 'failed' && <ErrorNotice title={t('chat.load_failed')} error={state.error} onRetry={reload} />}
      {state.phase !== 'failed' && (answers.length === 0 || part === null) && <Skeleton className="h-24 w-full" />}
      <div className="space-y-4">
        {part !== null &&
          answers.map((message) => (
            <part.AssistantMessage
              key={message.message_id}
              message={message}
              progress={state.progress}
              onContinue={null}
              onRetry={null}
              branches={null}
            />
          ))}
      </div>
      {ended && (
        <TakeBack
          host={host}
          answers={answers}
          onBegun={(run_id) => {
            addRun(c, run_id)
            refresh()
          }}
        />
      )}
    </section>
  )
}

interface TakeBackProps {
  readonly host: Host
  readonly answers: readonly Message[]
  onBegun(run_id: string): void
}

/** What these calls have changed and can be taken back. */
function TakeBack({ host, answers, onBegun }: TakeBackProps) {
  const calls = answers.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool_call' ? [part.tool_call.tool_call_id] : [])),
  )
  const { data } = useQuery({
    queryKey: ['changes', 'of', ...calls],
    queryFn: ({ signal }) => request('GET /api/changes', { query: { host: host.name, limit: 20 }, signal }),
    staleTime: 0,
  })
  const changes = data?.items.filter(({ tool_call_id, may_undo }) => may_undo && calls.includes(tool_call_id)) ?? []
  return changes.map((change) => <UndoButton key={change.change_id} change={change} onBegun={onBegun} />)
}

function UndoButton({ change, onBegun }: { readonly change: Change; onBegun(run_id: string): void }) {
  const undo = useUndo(change.change_id, ({ run_id }) => onBegun(run_id))
  return (
    <div className="mx-auto mt-3 max-w-[45rem] space-y-3">
      {undo.isError && <ErrorNotice title={t('changes.undo_failed')} error={undo.error} />}
      <Button size="sm" icon={Undo2} busy={undo.isPending} onClick={() => undo.mutate()}>
        {t('changes.undo')}
        <span className="text-muted font-normal">{change.name}</span>
      </Button>
    </div>
  )
}
