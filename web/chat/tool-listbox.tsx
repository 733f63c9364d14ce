import { useEffect, useRef } from 'react'
import type { ToolEntry } from '../../contract/chat.ts'
import { classNames } from '../class-names.ts'
import { t } from '../i18n.ts'
import { EffectBadge } from '../parts/effect-badge.tsx'
import { toolName } from './tool-command.ts'

interface ToolListboxProps {
  readonly id: string
  readonly tools: readonly ToolEntry[]
  readonly active: number
  onActive(index: number): void
  onChoose(tool: ToolEntry): void
}

/** Id of an option, for aria-activedescendant of the message box. */
export function optionId(listId: string, index: number): string {
  return `${listId}-${index}`
}

/** The tools that fit what is typed after `/`. The focus stays in the message box, which moves the active option. */
export function ToolListbox({ id, tools, active, onActive, onChoose }: ToolListboxProps) {
  const activeOption = useRef<HTMLLIElement>(null)
  useEffect(() => {
    activeOption.current?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <div className="absolute inset-x-0 bottom-full z-20 mb-2 animate-in overflow-hidden rounded-lg border border-line bg-raised shadow-md">
      {tools.length === 0 ? (
        <p className="px-3 py-3 text-muted">{t('chat.tools_no_match')}</p>
      ) : (
        <ul
          id={id}
          role="listbox"
          aria-label={t('chat.tools')}
          className="max-h-[min(20rem,45dvh)] overflow-y-auto overscroll-contain p-1"
        >
          {tools.map((tool, index) => (
            <li
              key={toolName(tool)}
              ref={index === active ? activeOption : undefined}
              id={optionId(id, index)}
              role="option"
              aria-selected={index === active}
              // The box must keep the focus, or the list closes before the click arrives.
              onMouseDown={(event) => event.preventDefault()}
              onMouseMove={() => onActive(index)}
              onClick={() => onChoose(tool)}
              className={classNames(
                'flex cursor-pointer items-center gap-3 rounded-md px-2.5 py-1.5',
                index === active && 'bg-hover',
              )}
            >
              <div className="min-w-0 flex-1">
                <p className="flex items-baseline gap-2">
                  <span className="shrink-0 truncate font-medium">{tool.title}</span>
                  <code className="min-w-0 truncate text-xs text-muted">{`/${toolName(tool)}`}</code>
                </p>
                <p className="truncate text-sm text-muted">{tool.description}</p>
              </div>
              {tool.policy === 'ask' && <span className="text-xs text-muted max-sm:hidden">{t('chat.tool_asks')}</span>}
              <EffectBadge effect={tool.effect} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
