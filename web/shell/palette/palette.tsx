import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { closeOverlay } from '../frame/overlay.ts'
import { explainError } from '../../client/explain-error.ts'
import { t } from '../../text/i18n.ts'
import { KeyCaps } from '../keys/key-caps.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { Progress } from '../../parts/feedback/progress.tsx'
import { type PaletteEntry, rankEntries } from './palette-entry.ts'
import { PaletteList } from './palette-list.tsx'
import { usePaletteEntries } from './use-palette-entries.ts'

/**
 * The command palette: one search field that finds conversations, quick commands, pages, tools and actions, and runs
 * the chosen one.
 */
export function Palette() {
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const listId = useId()
  const { entries, searching, error } = usePaletteEntries(query)
  const groups = rankEntries(entries, query)
  const shown = groups.flatMap((group) => group.entries.map(({ entry }) => entry))
  // By id, so that the selection stays when conversations arrive above it.
  const active = Math.max(
    shown.findIndex((entry) => entry.id === chosen),
    0,
  )
  const optionId = (index: number): string => `${listId}-${index}`
  const run = (entry: PaletteEntry | undefined): void => {
    if (entry === undefined) return
    closeOverlay()
    entry.run()
  }
  const moveTo = (index: number): void => setChosen(shown.at(index % shown.length)?.id ?? null)
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || event.keyCode === 229 || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'ArrowDown') moveTo(active + 1)
    else if (event.key === 'ArrowUp') moveTo(active - 1)
    else if (event.key === 'Home' && !event.shiftKey) moveTo(0)
    else if (event.key === 'End' && !event.shiftKey) moveTo(-1)
    else if (event.key === 'Enter') run(shown[active])
    else return
    event.preventDefault()
  }
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const option = list.current?.querySelector('[aria-selected=true]')
    // Scrolling to the first one includes its heading.
    if (active === 0) list.current?.querySelector('[role=listbox]')?.scrollTo({ top: 0 })
    else option?.scrollIntoView({ block: 'nearest' })
  }, [active, query])
  return (
    <Dialog open onOpenChange={(open) => open || closeOverlay()} title={t('palette.title')} placement="top" size="md">
      <div className="relative border-b border-line">
        <Search aria-hidden className="pointer-events-none absolute start-4 top-4 size-4 text-muted" />
        <input
          autoFocus
          role="combobox"
          aria-label={t('palette.title')}
          aria-expanded={shown.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={shown.length > 0 ? optionId(active) : undefined}
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="go"
          maxLength={200}
          placeholder={t('palette.placeholder')}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setChosen(null)
          }}
          onKeyDown={onKeyDown}
          className="h-12 w-full bg-transparent ps-11 pe-4 text-md outline-none max-sm:text-[1rem]"
        />
        {searching && <Searching />}
      </div>
      <div ref={list} className="flex min-h-0 flex-1 flex-col">
        <PaletteList
          id={listId}
          groups={groups}
          active={active}
          optionId={optionId}
          onActive={(index) => setChosen(shown[index]?.id ?? null)}
          onChoose={run}
        />
        {error !== null && <p className="px-4 py-2 text-sm text-danger">{explainError(error)}</p>}
        {shown.length === 0 && !searching && (
          <p className="px-4 py-4 text-muted">{t('palette.no_match', { query: query.trim() })}</p>
        )}
      </div>
      <div role="status" className="sr-only">
        {searching ? '' : t('palette.count', { count: shown.length })}
      </div>
      <footer aria-hidden className="flex gap-4 border-t border-line px-4 py-2 text-xs text-muted max-sm:hidden">
        <Hint keys="ArrowUp+ArrowDown" text={t('palette.hint_move')} />
        <Hint keys="Enter" text={t('palette.hint_run')} />
        <Hint keys="Escape" text={t('palette.hint_close')} />
      </footer>
    </Dialog>
  )
}

function Hint({ keys, text }: { keys: string; text: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <KeyCaps keys={keys} />
      {text}
    </span>
  )
}

/** Only a longer wait is worth an indicator. */
function Searching() {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 400)
    return () => clearTimeout(timer)
  }, [])
  return late ? (
    <div className="absolute inset-x-0 -bottom-px">
      <Progress label={t('palette.searching')} />
    </div>
  ) : null
}
