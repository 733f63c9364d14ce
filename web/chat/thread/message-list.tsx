import { ArrowDown } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import type { Approval, Message } from '../../../contract/chat.ts'
import { later, useLater } from '../../parts/later.ts'
import { classNames } from '../../parts/class-names.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { ConversationCard } from '../message/conversation-card.tsx'
import type { ConversationState } from './conversation-state.ts'
import { estimateHeight } from './estimate-height.ts'
import { MessageRow } from './message-row.tsx'
import { PersonMessage } from '../message/person-message.tsx'
import { usePendingCards } from '../../approvals/use-pending-approvals.ts'
import { useMessageScroll } from './use-message-scroll.ts'
import type { Revision } from './use-revision.ts'
import type { Outgoing } from '../composer/use-send.ts'

/** For pages that show an answer without its conversation; it is in this chunk. */
export { AssistantMessage } from '../message/assistant-message.tsx'

export interface MessageListProps {
  readonly state: ConversationState
  /** A run is active in the conversation. */
  readonly running: boolean
  /** A message that the conversation does not show yet. */
  readonly outgoing: Outgoing | null
  /** A message to scroll to once it is loaded. */
  readonly target: string | null
  readonly revision: Revision
  loadOlder(): Promise<void>
  onContinue(): void
  /** Called when the target is in view. */
  onTargetShown(): void
}

type Row =
  | { kind: 'message'; key: string; message: Message }
  | { kind: 'outgoing'; key: 'outgoing'; outgoing: Outgoing }
  | { kind: 'approval'; key: string; approval: Approval }

/** The measure of text, in the middle of the pane: the box for messages has the same edges. */
const MEASURE = 'mx-auto w-full max-w-[45rem]'
const untrustedPart = later(() => import('../../approvals/untrusted-source.tsx'))
/** How long the target message stays highlighted. */
const HIGHLIGHT_MS = 2500

/** The messages of a conversation, oldest first, in a column that follows its end until the reader leaves it. */
export function MessageList(props: MessageListProps) {
  const { state, running, outgoing, target, revision, loadOlder, onContinue, onTargetShown } = props
  const { conversationId, messages, nextBefore, untrusted } = state
  const mark = useLater(untrustedPart, { wanted: untrusted !== null, optional: true })
  const approvals = usePendingCards(conversationId)
  const rows = useMemo(() => rowsOf(messages, approvals, outgoing), [messages, approvals, outgoing])
  const last = messages.at(-1)
  const idle = !running && outgoing === null
  const revisable = idle && state.handedOver === null
  const scroll = useMessageScroll({
    count: rows.length,
    keyOf: (index) => rows[index]?.key ?? String(index),
    estimate: (index) => estimateRow(rows[index]),
    active: !idle,
    sending: outgoing !== null,
    hasOlder: nextBefore !== null,
    loadOlder,
  })
  const { toRow } = scroll

  const [highlighted, setHighlighted] = useState<string | null>(null)
  const targetIndex =
    target === null ? -1 : rows.findIndex((row) => row.kind === 'message' && row.message.message_id === target)
  useEffect(() => {
    if (targetIndex === -1) return
    toRow(targetIndex)
    setHighlighted(target)
    onTargetShown()
  }, [targetIndex, target, toRow, onTargetShown])
  useEffect(() => {
    if (highlighted === null) return undefined
    const timer = setTimeout(() => setHighlighted(null), HIGHLIGHT_MS)
    return () => clearTimeout(timer)
  }, [highlighted])

  return (
    <>
      <div
        ref={scroll.container}
        onFocus={(event) => scroll.onFocus(event.target)}
        onKeyDown={scroll.onKeyDown}
        className="min-h-0 flex-1 overflow-y-auto [overflow-anchor:none] [scrollbar-gutter:stable_both-edges]"
        tabIndex={0}
        role="log"
        aria-label={t('chat.messages')}
        aria-live="off"
      >
        <div className="relative w-full" style={{ height: scroll.height }}>
          {nextBefore !== null && (
            <div className="absolute inset-x-0 top-4 flex justify-center">
              <Button variant="ghost" size="sm" onClick={() => void loadOlder()}>
                {t('chat.load_older')}
              </Button>
            </div>
          )}
          <ol>
            {scroll.items.map(({ index, key, start }) => {
              const row = rows[index]
              return (
                row && (
                  <li
                    key={key}
                    ref={scroll.measure}
                    data-index={index}
                    aria-setsize={nextBefore === null ? rows.length : -1}
                    aria-posinset={index + 1}
                    // Not moved by a transform, of which what sticks to an edge of the view knows nothing.
                    className={classNames('absolute inset-x-0 px-4 sm:px-6', index < rows.length - 1 && 'pb-6')}
                    style={{ top: start }}
                  >
                    {row.kind === 'message' ? (
                      <div
                        className={classNames(
                          'rounded-xl transition-shadow duration-500',
                          row.message.role === 'user' && MEASURE,
                          row.message.message_id === highlighted &&
                            'ring-2 ring-accent ring-offset-8 ring-offset-canvas',
                        )}
                      >
                        <MessageRow
                          message={row.message}
                          progress={state.progress}
                          revision={revisable ? revision : null}
                          onContinue={row.message === last && revisable ? onContinue : null}
                        />
                      </div>
                    ) : row.kind === 'outgoing' ? (
                      <div className={MEASURE}>
                        <PersonMessage
                          text={row.outgoing.text}
                          files={row.outgoing.files}
                          sending={row.outgoing.runId === null}
                        />
                      </div>
                    ) : (
                      <div className={MEASURE}>
                        <ConversationCard approval={row.approval} />
                      </div>
                    )}
                  </li>
                )
              )
            })}
          </ol>
        </div>
      </div>
      {mark !== null && untrusted !== null && (
        <mark.UntrustedSource untrusted={untrusted} className={classNames(MEASURE, 'px-4 pt-2 sm:px-6')} />
      )}
      {/* Always there, so that the button covers nothing and moves nothing. */}
      <div className="flex h-8 shrink-0 items-start justify-center">
        {!scroll.following && (
          <Button icon={ArrowDown} size="sm" onClick={scroll.toEnd} className="animate-in">
            {t('chat.to_newest')}
          </Button>
        )}
      </div>
    </>
  )
}

/** Messages, then the message being sent, then cards that no shown message contains. */
function rowsOf(
  messages: readonly Message[],
  approvals: readonly Approval[],
  outgoing: Outgoing | null,
): readonly Row[] {
  // Messages replaced by an edit disappear when the edit is sent.
  const edited = outgoing?.edits == null ? -1 : messages.findIndex((message) => message.message_id === outgoing.edits)
  const shown = edited === -1 ? messages : messages.slice(0, edited)
  return [
    ...shown.map((message): Row => ({ kind: 'message', key: message.siblings[0] ?? message.message_id, message })),
    ...(outgoing ? [{ kind: 'outgoing' as const, key: 'outgoing' as const, outgoing }] : []),
    ...approvals
      .filter((approval) => approval.kind === 'run' || !messages.some((message) => message.run_id === approval.run_id))
      .map((approval): Row => ({ kind: 'approval', key: approval.approval_id, approval })),
  ]
}

function estimateRow(row: Row | undefined): number {
  if (row?.kind === 'message') return estimateHeight(row.message)
  return row?.kind === 'approval' ? 260 : 76
}
