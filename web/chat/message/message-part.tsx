import { lazy, Suspense } from 'react'
import type { Part, Table } from '../../../contract/chat.ts'
import { ConversationCard } from './conversation-card.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { MessageFile } from './message-file.tsx'
import { NoticePart } from './notice-part.tsx'
import { Reasoning } from './reasoning.tsx'
import { safeLink } from '../markdown/safe-url.ts'
import { ToolCard } from './tool-card.tsx'

const AnswerTable = lazy(async () => ({ default: (await import('../../tables/answer-table.tsx')).AnswerTable }))

interface MessagePartProps {
  readonly part: Part
  /** This part is currently growing. */
  readonly growing: boolean
  readonly progress: Readonly<Record<string, string>>
}

/** One part of an answer, by its type. */
export function MessagePart({ part, growing, progress }: MessagePartProps) {
  switch (part.type) {
    case 'text':
      return part.text === '' ? null : <Markdown source={part.text} streaming={growing} answer />
    case 'reasoning':
      return part.text.trim() === '' ? null : (
        <Reasoning text={part.text} active={growing} duration={part.duration_ms} />
      )
    case 'tool_call':
      return (
        <div className="space-y-2">
          {part.approval !== null && <ConversationCard approval={part.approval} />}
          {part.approval?.status !== 'pending' && (
            <ToolCard toolCall={part.tool_call} progress={progress[part.tool_call.tool_call_id]} />
          )}
          {part.questions.map((question) => (
            <ConversationCard key={question.approval_id} approval={question} />
          ))}
        </div>
      )
    case 'file':
      return <MessageFile file={part.file} />
    case 'table':
      return (
        <Suspense fallback={<TablePlace table={part.table} />}>
          <AnswerTable table={part.table} />
        </Suspense>
      )
    case 'citation':
      return <Citation title={part.title} href={part.href} />
    case 'notice':
      return <NoticePart notice={part.notice} />
  }
}

/** As high as the grid will be, so that nothing jumps once its code has loaded. */
function TablePlace({ table }: { readonly table: Table }) {
  return (
    <div
      className="rounded-lg border border-line bg-surface"
      style={{ height: 38 + Math.min(384, 33 * (table.rows.length + 1)) }}
    />
  )
}

function Citation({ title, href }: { readonly title: string; readonly href: string }) {
  const address = safeLink(href)
  const text = title === '' ? href : title
  if (address === null) return <cite className="block text-sm text-muted not-italic">{text}</cite>
  return (
    <cite className="block text-sm not-italic">
      <a href={address} target="_blank" rel="noopener noreferrer" className="text-accent underline underline-offset-2">
        {text}
      </a>
    </cite>
  )
}
