import { lazy, Suspense } from 'react'
import type { Approval } from '../../../contract/chat.ts'
import { ConversationCard } from '../message/conversation-card.tsx'
import { MessageFile } from '../message/message-file.tsx'
import { WideGrid } from './answer-grid.tsx'
import type { WorkCall } from './blocks.ts'

const ConnectFirst = lazy(async () => ({ default: (await import('./connect-first.tsx')).ConnectFirst }))

/** What the result of a call begins with that nothing let in. */
const NEEDS_CONNECTION = /^(connection|scope)_required: /

interface CallOutcomeProps {
  readonly call: WorkCall
  readonly pinned: boolean
  /** On the last of several calls that wait for approval together: the cards of all of them. */
  readonly step: readonly Approval[] | undefined
}

/**
 * What of a call is in view without opening it: what waits for a decision or an answer, its files, and its tables where
 * they stay open.
 */
export function CallOutcome({ call: { part, tables, files }, pinned, step }: CallOutcomeProps) {
  const { approval, questions } = part
  return (
    <>
      {approval?.status === 'pending' && (
        <ConversationCard key={approval.approval_id} approval={approval} step={step} />
      )}
      {questions
        .filter(({ status }) => status === 'pending')
        .map((question) => (
          <ConversationCard key={question.approval_id} approval={question} />
        ))}
      {NEEDS_CONNECTION.test(part.tool_call.result_preview ?? '') && part.tool_call.status === 'failed' && (
        <Suspense>
          <ConnectFirst module={part.tool_call.module} />
        </Suspense>
      )}
      {pinned && tables.map(({ index, table }) => <WideGrid key={index} table={table} />)}
      {files.map(({ index, file }) => (
        <div key={index}>
          <MessageFile file={file} />
        </div>
      ))}
    </>
  )
}

/** Whether the tables of a call are in view without opening it. */
export function staysOpen({ part }: WorkCall, pinned: ReadonlySet<string>): boolean {
  return part.direct === true || pinned.has(part.tool_call.tool_call_id)
}
