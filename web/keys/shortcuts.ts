import type { MessageKey } from '../i18n.ts'

export type ShortcutId =
  | 'palette'
  | 'map'
  | 'go_dashboard'
  | 'go_chat'
  | 'go_files'
  | 'go_approvals'
  | 'go_modules'
  | 'new_conversation'
  | 'focus_message'
  | 'previous_conversation'
  | 'next_conversation'
  | 'stop'
  | 'send'
  | 'new_line'
  | 'close'

export interface Shortcut {
  readonly id: ShortcutId
  /**
   * Keys joined by `+` are pressed together, keys apart by a space one after the other. `mod` is Command on a Mac, else
   * Control; the others are named as `KeyboardEvent.key` names them.
   */
  readonly keys: string
  readonly where: 'everywhere' | 'chat'
  readonly text: MessageKey
  /** The box or dialog that has the focus understands these keys itself; they are here to be found. */
  readonly local?: true
}

/** Every shortcut there is. The listener (use-key-listener) and the map that people read know no other. */
export const SHORTCUTS: readonly Shortcut[] = [
  { id: 'palette', keys: 'mod+k', where: 'everywhere', text: 'keys.palette' },
  { id: 'map', keys: '?', where: 'everywhere', text: 'keys.map' },
  { id: 'go_dashboard', keys: 'g d', where: 'everywhere', text: 'keys.go_dashboard' },
  { id: 'go_chat', keys: 'g c', where: 'everywhere', text: 'keys.go_chat' },
  { id: 'go_files', keys: 'g f', where: 'everywhere', text: 'keys.go_files' },
  { id: 'go_approvals', keys: 'g a', where: 'everywhere', text: 'keys.go_approvals' },
  { id: 'go_modules', keys: 'g m', where: 'everywhere', text: 'keys.go_modules' },
  { id: 'new_conversation', keys: 'n', where: 'everywhere', text: 'keys.new_conversation' },
  { id: 'close', keys: 'Escape', where: 'everywhere', text: 'keys.close', local: true },
  { id: 'focus_message', keys: '/', where: 'chat', text: 'keys.focus_message' },
  { id: 'send', keys: 'Enter', where: 'chat', text: 'keys.send', local: true },
  { id: 'new_line', keys: 'Shift+Enter', where: 'chat', text: 'keys.new_line', local: true },
  { id: 'stop', keys: 'mod+.', where: 'chat', text: 'keys.stop' },
  { id: 'previous_conversation', keys: 'Alt+ArrowUp', where: 'chat', text: 'keys.previous_conversation' },
  { id: 'next_conversation', keys: 'Alt+ArrowDown', where: 'chat', text: 'keys.next_conversation' },
]

/** Whether plain letters and signs alone make it: what a person who dictates or tumbles over keys turns off. */
export function isSingleKey({ keys, local }: Shortcut): boolean {
  return local !== true && !keys.includes('+')
}
