import { Server, Tag, Zap } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { ToolEntry } from '../../../../contract/chat.ts'
import type { Command } from '../../../../contract/commands.ts'
import { classNames } from '../../../parts/class-names.ts'
import { t } from '../../../text/i18n.ts'
import { EffectBadge } from '../../../parts/feedback/effect-badge.tsx'
import { optionId } from '../option-id.ts'
import { suggestionKey, type Suggestion } from './slash-suggestions.ts'
import { toolName } from '../tool-command.ts'

interface SlashListboxProps {
  readonly id: string
  readonly suggestions: readonly Suggestion[]
  readonly active: number
  onActive(index: number): void
  onChoose(suggestion: Suggestion): void
}

/**
 * Quick commands and tools that match the text after `/`, or machines after `host=`. The focus stays in the message box, which moves the active
 * option.
 */
export function SlashListbox({ id, suggestions, active, onActive, onChoose }: SlashListboxProps) {
  const activeOption = useRef<HTMLDivElement>(null)
  useEffect(() => {
    activeOption.current?.scrollIntoView({ block: 'nearest' })
  }, [active])
  const option = (suggestion: Suggestion, index: number) => (
    <div
      key={suggestionKey(suggestion)}
      ref={index === active ? activeOption : undefined}
      id={optionId(id, index)}
      role="option"
      aria-selected={index === active}
      // Without the focus in the box, the list would close before the click arrives.
      onMouseDown={(event) => event.preventDefault()}
      onMouseMove={() => onActive(index)}
      onClick={() => onChoose(suggestion)}
      className={classNames(
        'flex cursor-pointer items-center gap-3 rounded-md px-2.5 py-1.5',
        index === active && 'bg-hover',
      )}
    >
      {suggestion.kind === 'host' ? (
        <HostOption word={suggestion.word} />
      ) : suggestion.kind === 'tool' ? (
        <ToolOption tool={suggestion.tool} />
      ) : (
        <CommandOption command={suggestion.command} />
      )}
    </div>
  )
  // Commands come first; option indexes continue through both groups.
  const commands = suggestions.filter(({ kind }) => kind === 'command').length
  const groups = [
    { key: 'commands', label: t('commands.title'), shown: suggestions.slice(0, commands), from: 0 },
    { key: 'tools', label: t('chat.tools'), shown: suggestions.slice(commands), from: commands },
  ].filter(({ shown }) => shown.length > 0)
  return (
    <div className="absolute inset-x-0 bottom-full z-20 mb-2 animate-in overflow-hidden rounded-lg border border-line bg-raised shadow-md">
      {suggestions.length === 0 ? (
        <p className="px-3 py-3 text-muted">{t('chat.tools_no_match')}</p>
      ) : (
        <div
          id={id}
          role="listbox"
          aria-label={
            commands === 0 ? t(suggestions[0]?.kind === 'host' ? 'admin.hosts' : 'chat.tools') : t('commands.and_tools')
          }
          className="max-h-[min(20rem,45dvh)] overflow-y-auto overscroll-contain p-1"
        >
          {commands === 0
            ? suggestions.map(option)
            : groups.map(({ key, label, shown, from }) => (
                <div key={key} role="group" aria-label={label}>
                  <div aria-hidden className="px-2.5 pt-1.5 pb-1 text-xs font-medium text-muted">
                    {label}
                  </div>
                  {shown.map((suggestion, index) => option(suggestion, from + index))}
                </div>
              ))}
        </div>
      )}
    </div>
  )
}

function ToolOption({ tool }: { readonly tool: ToolEntry }) {
  return (
    <>
      <div className="min-w-0 flex-1">
        <p className="flex items-baseline gap-2">
          <span className="shrink-0 truncate font-medium">{tool.title}</span>
          <code className="min-w-0 truncate text-xs text-muted">{`/${toolName(tool)}`}</code>
        </p>
        <p className="truncate text-sm text-muted">{tool.description}</p>
      </div>
      {tool.policy === 'ask' && <span className="text-xs text-muted max-sm:hidden">{t('chat.tool_asks')}</span>}
      <EffectBadge effect={tool.effect} />
    </>
  )
}

function HostOption({ word }: { readonly word: string }) {
  const Icon = word.startsWith('#') ? Tag : Server
  return (
    <>
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="min-w-0 flex-1 truncate font-mono text-sm">{word}</span>
    </>
  )
}

function CommandOption({ command: { name, prompt, run_mode: mode } }: { readonly command: Command }) {
  return (
    <>
      <Zap aria-hidden className="size-4 shrink-0 text-accent" />
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">{name}</p>
        <p className="truncate text-sm text-muted">{prompt.trim()}</p>
      </div>
      <span className="shrink-0 text-xs text-muted">{t(`commands.mode_${mode}`)}</span>
    </>
  )
}
