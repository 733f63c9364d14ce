import { isSingleKey, SHORTCUTS, type Shortcut, type ShortcutId } from './shortcuts.ts'

/** The fields used from a `KeyboardEvent`. */
export interface PressedKey {
  readonly key: string
  readonly code: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly repeat: boolean
  readonly isComposing: boolean
  readonly keyCode: number
}

export interface KeyContext {
  /** The first key of a sequence, just pressed. */
  readonly begun: string | null
  /** The focus is where keys enter text or belong to a menu or dialog: only shortcuts with Control or Command apply. */
  readonly busy: boolean
  /** Single-key shortcuts are enabled. */
  readonly singleKeys: boolean
  readonly mac: boolean
}

/** A complete shortcut, the start of a sequence, or null when the key means nothing here. */
export type KeyMatch = { readonly id: ShortcutId } | { readonly begun: string } | null

/** The shortcut for a key press. */
export function matchKey(event: PressedKey, { begun, busy, singleKeys, mac }: KeyContext): KeyMatch {
  // 229: a key consumed by an input method, in browsers that end the composition before the key event.
  if (event.repeat || event.isComposing || event.keyCode === 229) return null
  const pressed = pressedName(event, mac)
  if (pressed === null) return null
  const usable = SHORTCUTS.filter(
    (shortcut) => shortcut.local !== true && (singleKeys || !isSingleKey(shortcut)) && (!busy || hasMod(shortcut)),
  )
  const find = (keys: string): Shortcut | undefined => usable.find((shortcut) => shortcut.keys === keys)
  const complete = (begun === null ? undefined : find(`${begun} ${pressed}`)) ?? find(pressed)
  if (complete) return { id: complete.id }
  return usable.some((shortcut) => shortcut.keys.startsWith(`${pressed} `)) ? { begun: pressed } : null
}

function hasMod({ keys }: Shortcut): boolean {
  return keys.startsWith('mod+')
}

/** The key press in the table's notation, or null for a combination that no shortcut uses. */
function pressedName(event: PressedKey, mac: boolean): string | null {
  const { ctrlKey, metaKey, altKey } = event
  const mod = mac ? metaKey : ctrlKey
  if ((mac ? ctrlKey : metaKey) || (mod && altKey)) return null
  const key = latinKey(event)
  // AltGr and Option produce characters: then the character counts, not the key with Alt. Arrow keys produce none.
  if (altKey) return key.startsWith('Arrow') ? `Alt+${key}` : null
  return mod ? `mod+${key}` : key
}

/** On a keyboard with a different script (Cyrillic, Greek …), a shortcut is the key at the letter's position. */
function latinKey({ key, code }: PressedKey): string {
  if (key.length !== 1) return key
  if (key.charCodeAt(0) < 128) return key.toLowerCase()
  return /^Key[A-Z]$/.test(code) ? code.slice(3).toLowerCase() : key
}
