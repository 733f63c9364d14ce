import { ChevronDown } from 'lucide-react'
import { classNames } from '../../parts/class-names.ts'
import { t } from '../../text/i18n.ts'
import { Status } from '../../parts/feedback/status.tsx'
import type { Tone } from '../../parts/feedback/tone.ts'
import type { Effect, RuleChoice, RuleResult } from './tool-rules.ts'

const TONE: Record<Effect, Tone> = { allow: 'ok', ask: 'warn', deny: 'danger' }
const EFFECTS: readonly Effect[] = ['allow', 'ask', 'deny']

interface PolicyCellProps {
  readonly label: string
  readonly choice: RuleChoice
  /** The resulting effect and its source; omitted for all tools of a module. */
  readonly result?: RuleResult
  /** Unsaved. */
  readonly changed?: boolean
  readonly className?: string
  onChange(choice: RuleChoice): void
}

/** One role's rule for one tool, and its effect. */
export function PolicyCell({ label, choice, result, changed = false, className, onChange }: PolicyCellProps) {
  return (
    <td className={classNames('border-line border-b px-3 py-2 align-top', changed && 'bg-accent-soft', className)}>
      <span className="relative block w-36">
        <select
          aria-label={label}
          value={choice ?? ''}
          onChange={(event) => onChange(event.target.value === '' ? null : (event.target.value as Effect))}
          className="border-line-strong bg-surface text-ink hover:border-muted block h-8 w-full appearance-none truncate rounded-md border ps-2.5 pe-7 text-sm max-sm:text-[1rem]"
        >
          <option value="">{t('modules.rule_none')}</option>
          {EFFECTS.map((effect) => (
            <option key={effect} value={effect}>
              {t(`modules.rule_${effect}`)}
            </option>
          ))}
        </select>
        <ChevronDown aria-hidden className="text-muted pointer-events-none absolute end-2 top-2 size-4" />
      </span>
      {result !== undefined && (
        <span className="mt-1 block text-xs">
          <Status tone={TONE[result.effect]} label={t(`modules.effect_${result.effect}`)} className="text-xs!" />
          <span className="text-muted block">{t(`modules.source_${result.source}`)}</span>
        </span>
      )}
    </td>
  )
}
