import { useQuery } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { useEffect } from 'react'
import { formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Menu, type MenuEntry } from '../../parts/controls/menu.tsx'
import { chooseForNew, useChosenForNew } from './choose-for-new.ts'
import { useConversationChoices } from './conversation-choices.ts'
import type { EngineChoice } from './engine-choice.ts'
import { choiceLabel, choicesQuery, type EngineOption } from './engine-choices.ts'

export interface EnginePickerProps {
  readonly conversationId: string | null
  /** A run is active: what it uses is read again when it ends. */
  readonly running: boolean
}

/** Beside the message box: which engine and model answers, another one to choose, and how full its context is. */
export function EnginePicker({ conversationId, running }: EnginePickerProps) {
  const options = useQuery(choicesQuery).data?.items ?? []
  const { choice, used, choose } = useChoice(conversationId, running)
  const gone = conversationId === null && choice !== null && options.length > 0 && !isOffered(options, choice)
  // It was removed since, or somebody else has signed in.
  useEffect(() => {
    if (gone) chooseForNew({ engine: null })
  }, [gone])
  const engine = options.find(({ engine_id }) => engine_id === choice?.engine_id) ?? options[0]
  if (engine === undefined) return null
  const fits = choice?.engine_id === engine.engine_id && engine.models.includes(choice.model)
  const model = fits ? choice.model : engine.model
  const several = options.length > 1 || engine.models.length > 1
  return (
    <span className="text-muted flex min-w-0 items-center gap-1.5 text-xs">
      {several ? (
        <Menu
          side="top"
          trigger={
            <button
              type="button"
              aria-label={t('picker.choose', { name: choiceLabel(engine, model) })}
              className="hover:bg-hover hover:text-ink flex h-7 min-w-0 items-center gap-1 rounded-md px-1.5"
            >
              <span className="truncate">{choiceLabel(engine, model)}</span>
              <ChevronDown aria-hidden className="size-3 shrink-0" />
            </button>
          }
          entries={entriesOf(options, engine, model, choose)}
        />
      ) : (
        <span className="truncate px-1.5">{choiceLabel(engine, model)}</span>
      )}
      {used !== null && <Fullness used={used} size={engine.context_tokens} />}
    </span>
  )
}

function isOffered(options: readonly EngineOption[], { engine_id, model }: EngineChoice): boolean {
  return options.some((option) => option.engine_id === engine_id && option.models.includes(model))
}

/** What a conversation has chosen and used of its context; what is chosen for one that does not exist yet. */
function useChoice(conversationId: string | null, running: boolean) {
  const chosen = useChosenForNew().engine
  const { known, changing, change } = useConversationChoices(conversationId, running)
  if (conversationId === null) return { choice: chosen, used: null, choose: chooseEngine }
  const choice = changing?.engine === undefined ? (known?.engine ?? null) : changing.engine
  const choose = (engine: EngineChoice | null): void => change({ engine })
  return { choice, used: known?.context_used ?? null, choose }
}

const chooseEngine = (engine: EngineChoice | null): void => chooseForNew({ engine })

function entriesOf(
  options: readonly EngineOption[],
  engine: EngineOption,
  model: string,
  choose: (choice: EngineChoice | null) => void,
): MenuEntry[] {
  return options.flatMap((option, index) => {
    const context = t('picker.context', { size: formatNumber(option.context_tokens) })
    const single = option.models.length === 1
    const items = option.models.map((one) => {
      const without = option.without_tools?.includes(one) === true ? t('picker.without_tools') : null
      const note = [single ? context : null, without].filter((part) => part !== null).join(' · ')
      return {
        label: single ? choiceLabel(option, one) : one,
        ...(note !== '' && { note }),
        checked: option === engine && one === model,
        // The default follows the administrator's choice; anything else is the conversation's own.
        onSelect: () =>
          choose(index === 0 && one === option.model ? null : { engine_id: option.engine_id, model: one }),
      }
    })
    return single ? items : [{ heading: option.name, text: context }, ...items]
  })
}

const RADIUS = 6
const ROUND = 2 * Math.PI * RADIUS

/** How much of the context the conversation fills, as a ring; older parts are summarised when it is full. */
function Fullness({ used, size }: { readonly used: number; readonly size: number }) {
  const share = Math.min(1, used / size)
  const text = t('picker.full', {
    percent: formatNumber(share, { style: 'percent' }),
    used: formatNumber(used),
    size: formatNumber(size),
  })
  return (
    <span role="img" aria-label={text} title={text} className="me-2 flex shrink-0 items-center gap-1 tabular-nums">
      <svg viewBox="0 0 16 16" aria-hidden className="size-3.5 -rotate-90 fill-none stroke-2">
        <circle cx="8" cy="8" r={RADIUS} className="stroke-line-strong" />
        <circle
          cx="8"
          cy="8"
          r={RADIUS}
          strokeDasharray={`${share * ROUND} ${ROUND}`}
          className={share > 0.75 ? 'stroke-warn' : 'stroke-accent'}
        />
      </svg>
      <span aria-hidden className="max-sm:hidden">
        {formatNumber(share, { style: 'percent' })}
      </span>
    </span>
  )
}
