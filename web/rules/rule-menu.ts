import { CircleHelp, ListFilter } from 'lucide-react'
import type { MenuEntry } from '../parts/controls/menu.tsx'
import { t } from '../text/i18n.ts'
import { EFFECT_LOOK } from './effect-word.tsx'
import { ruleAt, type RuleLine } from './rule-lines.ts'
import { valueOf } from './rule-words.ts'
import { detailedRules, EFFECTS, type Effect, type Role, type RuleChoice, ruleOf } from './tool-rules.ts'

/** Keys that choose for the active cell. */
export const RULE_KEYS: Readonly<Record<string, RuleChoice>> = {
  a: 'allow',
  k: 'ask',
  d: 'deny',
  Delete: null,
  Backspace: null,
}
const KEY_OF: Readonly<Record<Effect, string>> = { allow: 'A', ask: 'K', deny: 'D' }

/** What a rule of this role can say: what binds everybody allows nothing. */
export function choicesOf(role: Role): readonly Effect[] {
  return role.everybody ? EFFECTS.filter((effect) => effect !== 'allow') : EFFECTS
}

/** The choices for one cell, each with its key. */
export function ruleMenu(
  line: RuleLine,
  role: Role,
  onChoose: (choice: RuleChoice) => void,
  onExplain: (() => void) | null,
  onConditions: () => void,
): readonly MenuEntry[] {
  const rule = ruleAt(line)
  if (rule === null) return []
  const own = ruleOf(role.rules, rule.subject)
  return [
    { heading: `${rule.name} · ${role.name}`, text: valueOf(line, role) },
    ...choicesOf(role).map((effect) => ({
      label: t(`modules.rule_${effect}`),
      icon: EFFECT_LOOK[effect].icon,
      note: KEY_OF[effect],
      checked: own === effect,
      onSelect: () => onChoose(effect),
    })),
    {
      label: t('modules.rule_none'),
      note: t('rules.key_delete'),
      checked: own === null,
      onSelect: () => onChoose(null),
    },
    ...(rule.subject.startsWith('tool:')
      ? ([
          'separator',
          {
            label: t('rule_form.menu', { count: detailedRules(role.rules, rule.subject) }),
            icon: ListFilter,
            onSelect: onConditions,
          },
        ] as const)
      : []),
    ...(onExplain === null
      ? []
      : (['separator', { label: t('explain.title'), icon: CircleHelp, onSelect: onExplain }] as const)),
  ]
}
