import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { MessageSquare } from 'lucide-react'
import type { ToolEntry } from '../../../contract/chat.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { sessionQuery, toolsQuery } from '../../client/queries.ts'
import { toolArguments, toolName } from '../composer/tool-command.ts'

export interface EmptyConversationProps {
  /** Puts a text in the message box. */
  onTry(text: string): void
}

/** The start of a new conversation: which engine answers, and real tools to start with. */
export function EmptyConversation({ onTry }: EmptyConversationProps) {
  const tools = useQuery(toolsQuery)
  const admin = useQuery(sessionQuery).data?.user.admin === true
  if (tools.isError) {
    return (
      <ErrorNotice
        title={t('chat.tools_failed')}
        error={tools.error}
        onRetry={() => void tools.refetch()}
        className="m-6"
      />
    )
  }
  // The layout is not known yet: a briefly empty page is calmer than a wrong placeholder.
  if (!tools.data) return null
  const { ai_mode: mode, model, items } = tools.data
  const examples = pickExamples(items)
  return (
    <EmptyState
      icon={MessageSquare}
      title={t(mode === 'direct' ? 'chat.empty_direct_title' : 'chat.empty_title')}
      text={
        mode === 'direct'
          ? t(items.length === 0 ? 'chat.empty_direct_no_tools' : 'chat.empty_direct_text')
          : t('chat.empty_text', { model: model ?? t('chat.run_unknown_model') })
      }
      actions={
        (examples.length > 0 || (admin && mode === 'direct')) && (
          <>
            {admin && mode === 'direct' && (
              <Link
                to="/admin/$page"
                params={{ page: 'ai' }}
                className="bg-accent text-on-accent hover:bg-accent-hover inline-flex h-7 items-center rounded-md px-2.5 text-sm font-medium"
              >
                {t('chat.set_engine')}
              </Link>
            )}
            {examples.map((tool) => (
              <Button key={toolName(tool)} size="sm" onClick={() => onTry(`/${toolName(tool)} `)}>
                {tool.title}
              </Button>
            ))}
          </>
        )
      }
    />
  )
}

/** Tools that a first-time user understands immediately. */
const FIRST = ['system.host', 'system.disks', 'files.list']

/**
 * Three tools that can be run as they are: they only read, need no approval and no argument; different modules first.
 */
function pickExamples(tools: readonly ToolEntry[]): readonly ToolEntry[] {
  const easy = tools.filter(
    (tool) =>
      tool.effect === 'read' &&
      tool.policy === 'allow' &&
      !toolArguments(tool.input_schema).some((argument) => argument.required),
  )
  const ofModule = easy.filter((tool, index) => easy.findIndex(({ module }) => module === tool.module) === index)
  const known = FIRST.flatMap((name) => easy.find((tool) => toolName(tool) === name) ?? [])
  return [...new Set([...known, ...ofModule, ...easy])].slice(0, 3)
}
