import type { Part } from '../../../contract/chat.ts'
import { WideGrid } from '../calls/answer-grid.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { FactsPart } from './facts-part.tsx'
import { MessageFile } from './message-file.tsx'
import { NoticePart } from './notice-part.tsx'
import { Reasoning } from './reasoning.tsx'
import { safeLink } from '../markdown/safe-url.ts'

interface MessagePartProps {
  readonly part: Exclude<Part, { type: 'tool_call' }>
  /** This part is currently growing. */
  readonly growing: boolean
}

/** One part of an answer, by its type. Calls are shown together: work-group. */
export function MessagePart({ part, growing }: MessagePartProps) {
  switch (part.type) {
    case 'text':
      return part.text === '' ? null : <Markdown source={part.text} streaming={growing} answer />
    case 'reasoning':
      return part.text.trim() === '' ? null : (
        <Reasoning text={part.text} active={growing} duration={part.duration_ms} />
      )
    case 'file':
      return <MessageFile file={part.file} />
    case 'table':
      return <WideGrid table={part.table} />
    case 'citation':
      return <Citation title={part.title} href={part.href} />
    case 'facts':
      return <FactsPart text={part.text} source={part.source} />
    case 'notice':
      return <NoticePart notice={part.notice} />
  }
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
