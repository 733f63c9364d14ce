import { SquarePen } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { t } from '../../text/i18n.ts'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { SearchBox } from '../../parts/controls/search-box.tsx'

interface ConversationSearchProps {
  readonly query: string
  onQuery(query: string): void
  onNew(): void
}

/** The head of the list: search field and new conversation. Arrow down moves to the results, Escape ends the search. */
export function ConversationSearch({ query, onQuery, onNew }: ConversationSearchProps) {
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === 'ArrowDown') {
      event.preventDefault()
      event.currentTarget.closest('[data-conversations]')?.querySelector<HTMLElement>('[data-row-focus]')?.focus()
    }
  }
  return (
    <div className="flex items-center gap-1.5 p-3 pb-1">
      <SearchBox label={t('chat.search')} value={query} onChange={onQuery} onKeyDown={onKeyDown} className="flex-1" />
      <IconButton label={t('chat.new')} icon={SquarePen} onClick={onNew} />
    </div>
  )
}
