/** What one rule may hold. More is refused on saving. */
export const RULE_LIMITS = {
  /** Characters of a JSON pointer, and of a text, folder, host or note. */
  pointer: 200,
  text: 1000,
  /** Values of one list. */
  values: 100,
  tokens: 64,
  /** Conditions of a rule, those in its groups included. */
  conditions: 32,
  free: 32,
  /** Examples of each kind. */
  examples: 20,
  approvers: 5,
  /** Characters of everything that a rule says besides subject and effect, as JSON. */
  characters: 16_384,
} as const
