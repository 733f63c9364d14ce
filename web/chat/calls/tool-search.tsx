import { Search } from 'lucide-react'
import { t } from '../../text/i18n.ts'
import type { WorkCall } from './blocks.ts'

/** Whether an engine has only looked for tools: nothing ran. */
export function isToolSearch({ part: { tool_call: call } }: WorkCall): boolean {
  return call.module === '' && call.tool === 'find_tools' && call.status === 'done'
}

/** That an engine looked for tools, in a line that opens nothing. */
export function ToolSearch({ call }: { readonly call: WorkCall }) {
  const { words } = call.part.tool_call.arguments
  return (
    <p className="text-muted flex items-center gap-2 px-2.5 py-1.5 text-sm">
      <Search aria-hidden className="size-4 shrink-0" />
      <span className="min-w-0 truncate">
        {t('chat.searched_tools', { words: typeof words === 'string' ? words : '' })}
      </span>
    </p>
  )
}
