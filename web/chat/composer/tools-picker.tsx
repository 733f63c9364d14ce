import { useQuery } from '@tanstack/react-query'
import { Wrench } from 'lucide-react'
import type { ToolEntry } from '../../../contract/chat.ts'
import { toolsQuery } from '../../client/queries.ts'
import { Menu, type MenuEntry } from '../../parts/controls/menu.tsx'
import { formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { chooseForNew, useChosenForNew } from './choose-for-new.ts'
import { useConversationChoices } from './conversation-choices.ts'
import { choicesQuery } from './engine-choices.ts'
import type { EnginePickerProps } from './engine-picker.tsx'

/** Beside the message box: the modules whose tools the engine may use in this conversation, and how many tokens those take. */
export function ToolsPicker({ conversationId, running }: EnginePickerProps) {
  const tools = useQuery(toolsQuery).data?.items ?? []
  const engines = useQuery(choicesQuery).data?.items ?? []
  const { chosen, engine_id, choose } = useChosenModules(conversationId, running)
  const modules = modulesOf(tools)
  const engine = engines.find((one) => one.engine_id === engine_id) ?? engines[0]
  // Without an engine people call tools by hand, and all of them.
  if (engine === undefined || modules.length === 0) return null
  const isChosen = (name: string): boolean => chosen?.includes(name) ?? true
  const toggle = (name: string): void => {
    const next = modules.map((one) => one.name).filter((one) => (one === name ? !isChosen(one) : isChosen(one)))
    choose(next.length === modules.length ? null : next)
  }
  const used = modules.filter(({ name }) => isChosen(name))
  const tokens = used.reduce((sum, one) => sum + one.tokens, 0)
  const entries: MenuEntry[] = [
    {
      heading: t('picker.tools', { tokens: formatNumber(tokens) }),
      text:
        tokens <= engine.tool_tokens
          ? t('picker.tools_fit')
          : t('picker.tools_found', { tokens: formatNumber(engine.tool_tokens) }),
    },
    { label: t('picker.all_modules'), checked: chosen === null, stays: true, onSelect: () => choose(null) },
    'separator',
    ...modules.map(({ name, title, ...module }) => ({
      label: title,
      note: t('picker.module_tools', { count: module.count, tokens: formatNumber(module.tokens) }),
      checked: isChosen(name),
      stays: true,
      onSelect: () => toggle(name),
    })),
  ]
  const label =
    chosen === null ? t('picker.tools_all') : t('picker.tools_some', { count: used.length, all: modules.length })
  return (
    <Menu
      side="top"
      trigger={
        <button
          type="button"
          aria-label={label}
          title={label}
          className="text-muted hover:bg-hover hover:text-ink flex h-9 shrink-0 items-center gap-1 rounded-md px-2 text-xs tabular-nums"
        >
          <Wrench aria-hidden className="size-4" />
          {chosen !== null && <span aria-hidden>{`${used.length}/${modules.length}`}</span>}
        </button>
      }
      entries={entries}
    />
  )
}

interface ModuleTools {
  readonly name: string
  readonly title: string
  readonly count: number
  readonly tokens: number
}

function modulesOf(tools: readonly Pick<ToolEntry, 'module' | 'module_title' | 'tokens'>[]): ModuleTools[] {
  const modules = new Map<string, ModuleTools>()
  for (const { module: name, module_title: title = name, tokens } of tools) {
    const { count = 0, tokens: before = 0 } = modules.get(name) ?? {}
    modules.set(name, { name, title, count: count + 1, tokens: before + tokens })
  }
  return [...modules.values()]
}

/** What is chosen in a conversation, or for one that does not exist yet; null: all modules. */
function useChosenModules(conversationId: string | null, running: boolean) {
  const forNew = useChosenForNew()
  const { known, changing, change } = useConversationChoices(conversationId, running)
  const choices = conversationId === null ? forNew : known
  const modules = changing?.modules === undefined ? (choices?.modules ?? null) : changing.modules
  return {
    chosen: modules,
    engine_id: choices?.engine?.engine_id ?? null,
    choose: (next: string[] | null): void =>
      conversationId === null ? chooseForNew({ modules: next }) : change({ modules: next }),
  }
}
