import { type KeyboardEvent, useMemo, useState } from 'react'
import type { ToolEntry } from '../../../contract/chat.ts'
import type { Command } from '../../../contract/commands.ts'
import type { suggest, Suggestion } from './tools/slash-suggestions.ts'

export interface SlashCompletion {
  readonly open: boolean
  readonly suggestions: readonly Suggestion[]
  readonly active: number
  setActive(index: number): void
  /** Handles the keys that the open list understands; true if it did. */
  onKeyDown(event: KeyboardEvent): boolean
}

/** The commands, tools and machines that the typed text may mean (`/sys…`, `host=web…`), and the one selected by keyboard. */
export function useSlashCompletion(
  text: string,
  caret: number,
  commands: readonly Command[],
  tools: readonly ToolEntry[],
  hosts: readonly string[],
  /** Null until it is loaded: nothing is suggested. */
  find: typeof suggest | null,
  onChoose: (suggestion: Suggestion) => void,
): SlashCompletion {
  const found = useMemo(
    () => find?.(text, caret, commands, tools, hosts) ?? null,
    [find, text, caret, commands, tools, hosts],
  )
  const suggestions = found ?? []
  const query = text.slice(0, caret)
  const [closedFor, setClosedFor] = useState<string | null>(null)
  const [choice, setChoice] = useState({ query: '', index: 0 })
  const open = found !== null && closedFor !== text
  // A different query is a different list: start at its top.
  const active = choice.query === query ? Math.min(choice.index, Math.max(suggestions.length - 1, 0)) : 0
  const setActive = (index: number): void => setChoice({ query, index })

  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!open || event.nativeEvent.isComposing) return false
    const chosen = suggestions[active]
    const count = suggestions.length
    if (event.key === 'ArrowDown' && count > 0) setActive((active + 1) % count)
    else if (event.key === 'ArrowUp' && count > 0) setActive((active - 1 + count) % count)
    else if ((event.key === 'Enter' || event.key === 'Tab') && chosen && !event.shiftKey) onChoose(chosen)
    else if (event.key === 'Escape') setClosedFor(text)
    else return false
    event.preventDefault()
    return true
  }
  return { open, suggestions, active, setActive, onKeyDown }
}
