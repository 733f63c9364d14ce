import type { MessageKey } from '../../text/i18n.ts'

interface GridKey {
  /** Alternatives, each as in a shortcut. */
  readonly keys: readonly string[]
  readonly text: MessageKey
}

/** The keys of the grid of rules, which handles them itself (use-rule-cells); for the keyboard map. */
export const GRID_KEYS: readonly GridKey[] = [
  { keys: ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'], text: 'keys.rules_move' },
  { keys: ['a'], text: 'modules.rule_allow' },
  { keys: ['k'], text: 'modules.rule_ask' },
  { keys: ['d'], text: 'modules.rule_deny' },
  { keys: ['Delete'], text: 'modules.rule_none' },
  { keys: ['Enter'], text: 'keys.rules_menu' },
  { keys: ['mod+z'], text: 'keys.rules_undo' },
]
