import { t } from '../text/i18n.ts'
import { ruleAt, type RuleLine, summaryOf } from './rule-lines.ts'
import { detailedRules, type Role, ruleOf } from './tool-rules.ts'

/** What applies and why, in words: "Denied, by the rule for all tools". */
export function valueOf(line: RuleLine, role: Role): string {
  const subject = ruleAt(line)?.subject
  const count = subject === undefined ? 0 : detailedRules(role.rules, subject)
  const said = saidOf(line, role)
  return count === 0 ? said : `${said} · ${t('rules.conditional', { count })}`
}

function saidOf(line: RuleLine, role: Role): string {
  if (role.everybody) {
    const own = ruleOf(role.rules, ruleAt(line)?.subject ?? '')
    return t(own === null ? 'modules.rule_none' : `modules.rule_${own}`)
  }
  if (line.kind === 'entry') {
    const own = ruleOf(role.rules, line.entry.subject)
    const result = line.entry.result(role)
    if (result === null) return t('modules.rule_none')
    const { effect, source } = result
    const decided = t('rules.decided', { effect: t(`modules.effect_${effect}`), source: t(`modules.source_${source}`) })
    return own === null || own === effect
      ? decided
      : t('rules.overruled', { rule: t(`modules.rule_${own}`), result: decided })
  }
  const own = line.group.subject === null ? null : ruleOf(role.rules, line.group.subject)
  const counts = line.group.entries === null ? null : summaryOf(line.group.entries, role)
  const sums = counts === null ? '' : t('rules.summary', counts)
  if (line.group.subject === null) return sums
  return t('rules.group_value', { rule: t(own === null ? 'modules.rule_none' : `modules.rule_${own}`), sums })
}
