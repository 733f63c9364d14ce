import { ChevronRight, Pin, PinOff } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Button } from '../../parts/controls/button.tsx'
import { t } from '../../text/i18n.ts'
import { ArgumentsList } from '../../parts/layout/arguments-list.tsx'
import { CodeBlock } from '../../parts/layout/code-block.tsx'
import { EffectBadge } from '../../parts/feedback/effect-badge.tsx'
import { ConversationCard } from '../message/conversation-card.tsx'
import { AnswerGrid } from './answer-grid.tsx'
import type { WorkCall } from './blocks.ts'
import { pinTables } from './pinned-tables.ts'

const MakeRule = lazy(async () => ({ default: (await import('../../rules/of-call/make-rule.tsx')).MakeRule }))

const RepairedCall = lazy(async () => ({
  default: (await import('../../parts/feedback/repaired-call.tsx')).RepairedCall,
}))

/** Longer results are shown from their beginning. */
const PREVIEW = 2000

interface CallDetailsProps {
  readonly call: WorkCall
  /** Its tables are shown outside, where they stay open. */
  readonly pinned: boolean
}

/** Everything about a call: arguments, what it asked, tables and result. */
export function CallDetails({ call: { part, tables }, pinned }: CallDetailsProps) {
  const { tool_call: call, questions } = part
  return (
    <div className="animate-fade space-y-3 px-3 pt-1 pb-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <code className="text-sm break-all text-muted">{`${call.module}.${call.tool}`}</code>
        <EffectBadge effect={call.effect} />
      </div>
      <div>
        <h4 className="mb-1.5 text-sm font-medium">{t('chat.tool_arguments')}</h4>
        <ArgumentsList arguments={call.arguments} />
        {call.repaired !== undefined && (
          <Suspense fallback={<div className="h-5" />}>
            <RepairedCall repaired={call.repaired} />
          </Suspense>
        )}
        <Suspense>
          <MakeRule module={call.module} tool={call.tool} arguments={call.arguments} />
        </Suspense>
      </div>
      {questions
        .filter(({ status }) => status !== 'pending')
        .map((question) => (
          <ConversationCard key={question.approval_id} approval={question} />
        ))}
      {tables.length > 0 && part.direct !== true && (
        <Button
          variant="ghost"
          size="sm"
          icon={pinned ? PinOff : Pin}
          className="-ms-2.5 text-muted"
          onClick={() => pinTables(call.tool_call_id, !pinned)}
        >
          {t(pinned ? 'chat.table_unpin' : 'chat.table_pin')}
        </Button>
      )}
      {!pinned && tables.map(({ index, table }) => <AnswerGrid key={index} table={table} />)}
      {call.result_preview !== null && call.status !== 'denied' && (
        // A table shows the same, and better.
        <details open={tables.length === 0} className="group/result">
          <summary className="mb-1.5 flex w-fit list-none items-center gap-1 text-sm font-medium [&::-webkit-details-marker]:hidden">
            {t(call.status === 'failed' ? 'chat.tool_error' : 'chat.tool_result')}
            <ChevronRight aria-hidden className="size-4 text-muted group-open/result:rotate-90" />
          </summary>
          <CodeBlock code={call.result_preview} wrap />
          {call.result_preview.length >= PREVIEW && (
            <p className="mt-1.5 text-sm text-muted">{t('chat.tool_result_cut')}</p>
          )}
        </details>
      )}
    </div>
  )
}
