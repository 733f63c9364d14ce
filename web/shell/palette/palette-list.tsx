import { useId } from 'react'
import { classNames } from '../../parts/class-names.ts'
import { t } from '../../text/i18n.ts'
import { KeyCaps } from '../keys/key-caps.tsx'
import { SHORTCUTS } from '../keys/shortcuts.ts'
import { Highlight } from './highlight.tsx'
import type { PaletteEntry, RankedEntry, RankedGroup } from './palette-entry.ts'

interface PaletteListProps {
  readonly id: string
  readonly groups: readonly RankedGroup[]
  /** Index across all groups. */
  readonly active: number
  optionId(index: number): string
  onActive(index: number): void
  onChoose(entry: PaletteEntry): void
}

/** Matches by group as one listbox. The focus stays in the search field, which moves the active option. */
export function PaletteList({ id, groups, active, optionId, onActive, onChoose }: PaletteListProps) {
  const headingId = useId()
  return (
    <div
      id={id}
      role="listbox"
      aria-label={t('palette.results')}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-1.5 not-empty:py-1.5"
    >
      {groups.map(({ group, entries }, groupIndex) => (
        <div key={group} role="group" aria-labelledby={`${headingId}-${group}`} className="pb-1">
          <div
            id={`${headingId}-${group}`}
            role="presentation"
            className="px-2.5 pt-2 pb-1 text-xs font-medium text-muted"
          >
            {t(`palette.group_${group}`)}
          </div>
          {entries.map((ranked, entryIndex) => {
            const own = countBefore(groups, groupIndex) + entryIndex
            return (
              <Option
                key={ranked.entry.id}
                id={optionId(own)}
                ranked={ranked}
                active={own === active}
                onActive={() => onActive(own)}
                onChoose={() => onChoose(ranked.entry)}
              />
            )
          })}
        </div>
      ))}
    </div>
  )
}

function countBefore(groups: readonly RankedGroup[], index: number): number {
  return groups.slice(0, index).reduce((sum, group) => sum + group.entries.length, 0)
}

interface OptionProps {
  readonly id: string
  readonly ranked: RankedEntry
  readonly active: boolean
  onActive(): void
  onChoose(): void
}

function Option({ id, ranked: { entry, ranges }, active, onActive, onChoose }: OptionProps) {
  const { icon: Icon, title, detail, shortcut } = entry
  const keys = SHORTCUTS.find((one) => one.id === shortcut)?.keys
  return (
    <div
      id={id}
      role="option"
      aria-selected={active}
      // The search field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onMouseMove={() => active || onActive()}
      onClick={onChoose}
      className={classNames(
        'flex min-h-9 cursor-pointer items-center gap-3 rounded-md px-2.5 py-1.5',
        active && 'bg-hover',
      )}
    >
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="min-w-0 flex-1">
        <span className="block truncate">
          <Highlight text={title} ranges={ranges} />
        </span>
        {detail !== undefined && detail !== '' && <span className="block truncate text-xs text-muted">{detail}</span>}
      </span>
      {keys !== undefined && (
        <span aria-hidden className="max-sm:hidden">
          <KeyCaps keys={keys} />
        </span>
      )}
    </div>
  )
}
