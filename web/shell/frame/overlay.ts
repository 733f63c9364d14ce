import { useSyncExternalStore } from 'react'
import type { Command } from '../../../contract/commands.ts'
import type { PromptEntry } from '../../../contract/prompts.ts'
import type { ProcedureWork, Routine } from '../../../contract/routine-values.ts'
import { focusedNow } from '../../parts/layout/focused-now.ts'

/** An overlay above the page, reachable from everywhere; one at a time. */
export type Overlay =
  | { readonly kind: 'palette' }
  | { readonly kind: 'keyboard_map' }
  | { readonly kind: 'commands' }
  /** `command` null: a new one, starting with `prompt`. `back`: return to the command list afterwards. */
  | {
      readonly kind: 'edit_command'
      readonly command: Command | null
      readonly prompt?: string
      readonly folderId?: string | null
      readonly back: boolean
    }
  /** Asks for a command's variables, then runs it. */
  | { readonly kind: 'run_command'; readonly command: Command }
  /** `routine` null: a new one, beginning with what is given. Else it is changed, with `procedure` in place of its own. */
  | {
      readonly kind: 'edit_routine'
      readonly routine: Routine | null
      readonly name?: string
      readonly text?: string
      readonly procedure?: ProcedureWork
      readonly scope?: readonly string[]
    }
  /** Asks for the arguments of a module's prompt. */
  | { readonly kind: 'run_prompt'; readonly entry: PromptEntry }

let shown: Overlay | null = null
let returnTo: Element | null = null
/** Runs after closing, before the focus is returned. */
let returning: ReturnType<typeof setTimeout> | null = null
const listeners = new Set<() => void>()

export function openOverlay(overlay: Overlay): void {
  // One overlay may open another: the element to return the focus to stays the same.
  if (shown === null && returning === null) returnTo = focusedNow()
  change(overlay)
}

/** Closes the overlay and returns the focus to where it was, unless something else has taken it. */
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

/** After the dialog is gone, which would otherwise take the focus back. */
const FOCUS_MS = 20

/** For Ctrl+K, which toggles the palette. */
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
