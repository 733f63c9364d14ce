import { useEffect } from 'react'
import { matchKey } from './match-key.ts'
import { isMac } from './platform.ts'
import { singleKeysOn, useSingleKeys } from './single-keys.ts'
import { runShortcut } from './use-shortcut.ts'

/** Milliseconds to wait for the second key of a sequence. */
const SEQUENCE_MS = 1200

/** Listens for all shortcuts; once, in the frame. Events already handled by a component are ignored. */
export function useKeyListener(): void {
  // Subscribed, so that a choice made in another tab arrives here too.
  useSingleKeys()
  useEffect(() => {
    let begun: string | null = null
    let begunAt = 0
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented) return
      // Modifier keys arrive as key presses of their own.
      if (event.key === 'Shift' || event.key === 'Control' || event.key === 'Alt' || event.key === 'Meta') return
      const first = Date.now() - begunAt < SEQUENCE_MS ? begun : null
      begun = null
      const match = matchKey(event, {
        begun: first,
        busy: isBusy(event.target),
        singleKeys: singleKeysOn(),
        mac: isMac,
      })
      if (match === null) return
      if ('begun' in match) {
        begun = match.begun
        begunAt = Date.now()
      } else if (runShortcut(match.id)) event.preventDefault()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

/** Whether keys enter text there, or belong to an open menu, list or dialog. */
function isBusy(target: EventTarget | null): boolean {
  if (document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null) return true
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.closest('input, textarea, select, [role=textbox], [role=listbox]') !== null
}
