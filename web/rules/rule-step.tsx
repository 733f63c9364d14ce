import { Status } from '../parts/feedback/status.tsx'
import { t } from '../text/i18n.ts'
import { EFFECT_LOOK } from './effect-word.tsx'
import type { RuleChoice } from './tool-rules.ts'

/** A rule before and after. */
export function RuleStep({ from, to }: { readonly from: RuleChoice; readonly to: RuleChoice }) {
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <RuleWord rule={from} />
      <span aria-hidden className="text-muted">
        →
      </span>
      <span className="sr-only">{t('roles.becomes')}</span>
      <RuleWord rule={to} />
    </span>
  )
}

function RuleWord({ rule }: { readonly rule: RuleChoice }) {
  if (rule === null) return <span className="text-muted text-sm">{t('modules.rule_none')}</span>
  return <Status {...EFFECT_LOOK[rule]} label={t(`modules.rule_${rule}`)} />
}
