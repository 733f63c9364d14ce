import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { MessageSquare, Wrench, Zap } from 'lucide-react'
import { toolName } from '../../chat/composer/tool-command.ts'
import { useToMessageBox } from '../../chat/composer/use-to-message-box.ts'
import { byLastUse } from '../../commands/last-used.ts'
import { commandsQuery } from '../../commands/commands-query.ts'
import { useRunCommand } from '../../commands/use-run-command.ts'
import { destinationsFor } from '../frame/destinations.ts'
import { formatRelative } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import type { ShortcutId } from '../keys/shortcuts.ts'
import { sessionQuery, toolsQuery } from '../../client/queries.ts'
import type { PaletteEntry } from './palette-entry.ts'
import { useActionEntries } from './use-action-entries.ts'
import { useHostEntries } from './use-host-entries.ts'
import { usePlaceEntries } from './use-place-entries.ts'
import { useProcedureEntries } from './use-procedure-entries.ts'
import { useConversationSearch } from './use-conversation-search.ts'

const PAGE_KEYS: Record<string, ShortcutId> = {
  '/': 'go_dashboard',
  '/chat': 'go_chat',
  '/files': 'go_files',
  '/approvals': 'go_approvals',
  '/modules': 'go_modules',
}

/** All palette entries, and whether the server is still searching conversations. */
export function usePaletteEntries(query: string): {
  entries: readonly PaletteEntry[]
  searching: boolean
  error: unknown
} {
  const navigate = useNavigate()
  const toMessageBox = useToMessageBox()
  const runCommand = useRunCommand()
  const conversations = useConversationSearch(query)
  const commands = useQuery(commandsQuery).data
  const tools = useQuery(toolsQuery).data?.items ?? []
  const user = useQuery(sessionQuery).data?.user
  const actions = useActionEntries()
  const places = usePlaceEntries()
  const asked = query.trim() !== ''
  const hosts = useHostEntries(asked && user?.admin === true)
  const procedures = useProcedureEntries(asked)
  const entries: PaletteEntry[] = [
    ...conversations.items.map((item) => ({
      id: item.conversation_id,
      group: 'conversations' as const,
      title: item.title === '' ? t('palette.untitled') : item.title,
      icon: MessageSquare,
      // What was found is often the title itself: no need to say it twice.
      detail: (item.snippet === item.title ? '' : item.snippet) || formatRelative(item.updated_at),
      found: conversations.current,
      keywords: item.snippet ?? '',
      run: () => void navigate({ to: '/chat', search: { c: item.conversation_id } }),
    })),
    ...byLastUse(commands?.items ?? []).map((command) => ({
      id: command.command_id,
      group: 'commands' as const,
      title: command.name,
      icon: Zap,
      detail: `${t(`commands.mode_${command.run_mode}`)} · ${firstLine(command.prompt)}`,
      keywords: commands?.folders.find((folder) => folder.folder_id === command.folder_id)?.name ?? '',
      run: () => runCommand(command),
    })),
    ...destinationsFor(user ?? { admin: false }).map(({ to, label, icon }) => ({
      id: `page:${to}`,
      group: 'pages' as const,
      title: t(label),
      icon,
      ...(PAGE_KEYS[to] !== undefined && { shortcut: PAGE_KEYS[to] }),
      run: () => void navigate({ to }),
    })),
    // Without a query they would crowd out the rest.
    ...(asked ? tools : []).map((tool) => ({
      id: `tool:${toolName(tool)}`,
      group: 'tools' as const,
      title: tool.title,
      icon: Wrench,
      detail: `/${toolName(tool)} · ${tool.description}`,
      keywords: `${toolName(tool)} ${tool.description}`,
      run: () => toMessageBox({ text: `/${toolName(tool)} `, target: 'shown', send: false, place: 'start' }),
    })),
    ...hosts,
    ...procedures,
    ...(asked ? places : []),
    ...actions,
  ]
  return { entries, searching: !conversations.current, error: conversations.error }
}

function firstLine(prompt: string): string {
  return prompt.trim().split('\n', 1)[0]?.slice(0, 120) ?? ''
}
