import { type KeyboardEvent, useMemo, useState } from 'react'
import type { ToolEntry } from '../../contract/chat.ts'
import { commandQuery, findTools } from './tool-command.ts'

export interface ToolCompletion {
  readonly open: boolean
  readonly tools: readonly ToolEntry[]
  readonly active: number
  setActive(index: number): void
  /** Takes the keys that the open list understands; true when it did. */
  onKeyDown(event: KeyboardEvent): boolean
  close(): void
}

/** Which tools the text being typed may mean (`/sys…`), and which of them the keys have chosen. */
export function useToolCompletion(
  text: string,
  caret: number,
  tools: readonly ToolEntry[],
  onChoose: (tool: ToolEntry) => void,
): ToolCompletion {
  const query = commandQuery(text, caret)
  const [closedFor, setClosedFor] = useState<string | null>(null)
  const [choice, setChoice] = useState({ query: '', index: 0 })
  const found = useMemo(() => (query === null ? [] : findTools(tools, query)), [tools, query])
  const open = query !== null && closedFor !== text
  // Another query is another list: begin at its top.
  const active = choice.query === query ? Math.min(choice.index, Math.max(found.length - 1, 0)) : 0
  const setActive = (index: number): void => setChoice({ query: query ?? '', index })
  const close = (): void => setClosedFor(text)

  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!open || event.nativeEvent.isComposing) return false
    const chosen = found[active]
    if (event.key === 'ArrowDown' && found.length > 0) setActive((active + 1) % found.length)
    else if (event.key === 'ArrowUp' && found.length > 0) setActive((active - 1 + found.length) % found.length)
    else if ((event.key === 'Enter' || event.key === 'Tab') && chosen && !event.shiftKey) onChoose(chosen)
    else if (event.key === 'Escape') close()
    else return false
    event.preventDefault()
    return true
  }
  return { open, tools: found, active, setActive, onKeyDown, close }
}
