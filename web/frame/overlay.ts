import { useSyncExternalStore } from 'react'
import type { Command } from '../../contract/commands.ts'
import type { PromptEntry } from '../../contract/prompts.ts'

/** What lies over the page, reachable from everywhere; one at a time. */
export type Overlay =
  | { readonly kind: 'palette' }
  | { readonly kind: 'keyboard_map' }
  | { readonly kind: 'commands' }
  /** `command` null: a new one, which begins with `prompt`. `back`: to the list of commands afterwards. */
  | {
      readonly kind: 'edit_command'
      readonly command: Command | null
      readonly prompt?: string
      readonly folderId?: string | null
      readonly back: boolean
    }
  /** Asks for the variables of a command, then runs it. */
  | { readonly kind: 'run_command'; readonly command: Command }
  /** Asks for the arguments of a module's prompt. */
  | { readonly kind: 'run_prompt'; readonly entry: PromptEntry }

let shown: Overlay | null = null
let returnTo: Element | null = null
/** Runs between closing and giving the focus back. */
let returning: ReturnType<typeof setTimeout> | null = null
const listeners = new Set<() => void>()

export function openOverlay(overlay: Overlay): void {
  // What was chosen in one may open another: then the place to go back to stays the same.
  if (shown === null && returning === null) returnTo = focusedNow()
  change(overlay)
}

/** Where the focus is; for an item of a menu, which goes away, the button of the menu. */
function focusedNow(): Element | null {
  const label = document.activeElement?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  return label == null ? document.activeElement : document.getElementById(label)
}

/** Closes it; the focus goes back to where it was before, unless something has taken it meanwhile. */
export function closeOverlay(): void {
  if (shown === null) return
  change(null)
  if (returning !== null) clearTimeout(returning)
  returning = setTimeout(() => {
    returning = null
    const lost = document.activeElement === null || document.activeElement === document.body
    if (shown === null && lost && returnTo instanceof HTMLElement && returnTo.isConnected) returnTo.focus()
  }, FOCUS_MS)
}

/** Once the dialog is gone, which otherwise would take the focus back. */
const FOCUS_MS = 20

/** For Ctrl+K, which opens and closes. */
export function togglePalette(): void {
  if (shown?.kind === 'palette') closeOverlay()
  else openOverlay({ kind: 'palette' })
}

export function useOverlay(): Overlay | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => shown,
  )
}

function change(next: Overlay | null): void {
  shown = next
  for (const listener of listeners) listener()
}
