import { Search, SquarePen } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { t } from '../../text/i18n.ts'
import { IconButton } from '../../parts/controls/icon-button.tsx'

interface ConversationSearchProps {
  readonly query: string
  onQuery(query: string): void
  onNew(): void
}

/** The head of the list: search field and new conversation. Arrow down moves to the results, Escape ends the search. */
export function ConversationSearch({ query, onQuery, onNew }: ConversationSearchProps) {
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') {
      event.preventDefault()
      event.currentTarget.closest('[data-conversations]')?.querySelector<HTMLElement>('[data-row-focus]')?.focus()
    } else if (event.key === 'Escape' && query !== '') {
      event.preventDefault()
      // The drawer, which Escape would also close, stays open until the next press.
      event.stopPropagation()
      onQuery('')
    }
  }
  return (
    <div className="flex items-center gap-1.5 p-3 pb-1">
      <label className="relative block min-w-0 flex-1">
        <span className="sr-only">{t('chat.search')}</span>
        <Search aria-hidden className="pointer-events-none absolute start-2.5 top-2.5 size-4 text-muted" />
        <input
          type="search"
          value={query}
          placeholder={t('chat.search')}
          onChange={(event) => onQuery(event.target.value)}
          onKeyDown={onKeyDown}
          className="h-9 w-full rounded-md border border-line bg-canvas ps-8.5 pe-2 hover:border-line-strong focus-visible:outline-offset-0 max-sm:text-[1rem]"
        />
      </label>
      <IconButton label={t('chat.new')} icon={SquarePen} onClick={onNew} />
    </div>
  )
}
