import type { MessageKey } from '../../text/i18n.ts'

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
  | 'send_now'
  | 'new_line'
  | 'close'

export interface Shortcut {
  readonly id: ShortcutId
  /**
   * Keys joined by `+` are pressed together, keys separated by a space one after the other. `mod` is Command on a Mac,
   * otherwise Control; other keys have their `KeyboardEvent.key` names.
   */
  readonly keys: string
  readonly where: 'everywhere' | 'chat'
  readonly text: MessageKey
  /** Handled by the focused field or dialog itself; listed only for the keyboard map. */
  readonly local?: true
}

/** The shortcuts of pages. The listener (use-key-listener) knows no others; the keys of a grid are its own (grid-keys). */
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
  { id: 'send_now', keys: 'mod+Enter', where: 'chat', text: 'keys.send_now', local: true },
  { id: 'new_line', keys: 'Shift+Enter', where: 'chat', text: 'keys.new_line', local: true },
  { id: 'stop', keys: 'mod+.', where: 'chat', text: 'keys.stop' },
  { id: 'previous_conversation', keys: 'Alt+ArrowUp', where: 'chat', text: 'keys.previous_conversation' },
  { id: 'next_conversation', keys: 'Alt+ArrowDown', where: 'chat', text: 'keys.next_conversation' },
]

/** Whether it consists of unmodified keys only, which users who dictate or press keys by accident turn off. */
export function isSingleKey({ keys, local }: Shortcut): boolean {
  return local !== true && !keys.includes('+')
}
