import type { ModuleDetail } from '../../../contract/modules.ts'
import { t } from '../../text/i18n.ts'
import { Status } from '../../parts/feedback/status.tsx'

const TONE = { allow: 'ok', ask: 'warn', deny: 'danger' } as const

/** Role rules for the tools of one module. */
export function RuleList({ rules }: { readonly rules: ModuleDetail['rules'] }) {
  return (
    <ul className="border-line divide-line divide-y rounded-md border">
      {rules.map(({ role_id, role, subject, effect, spec }, i) => (
        <li
          key={`${role_id} ${subject} ${effect} ${i}`}
          className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2"
        >
          <span className="font-medium break-words">{role}</span>
          <span className="text-muted min-w-0 flex-1 font-mono text-sm break-all">{subject}</span>
          {(spec.when ?? spec.unless ?? spec.free) !== undefined && (
            <span className="text-muted text-sm">{t('rules.conditional', { count: 1 })}</span>
          )}
          <Status tone={TONE[effect]} label={t(`modules.rule_${effect}`)} />
        </li>
      ))}
    </ul>
  )
}
