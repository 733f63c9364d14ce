import { CheckField } from '../../parts/controls/check-field.tsx'
import { t } from '../../text/i18n.ts'
import type { Role } from '../tool-rules.ts'
import { DecidersField } from './deciders-field.tsx'
import type { SpecDraft } from './spec-draft.ts'

interface BesidesProps {
  readonly spec: SpecDraft
  readonly roles: readonly Role[]
  errorAt(path: string): string | null
  onChange(rest: SpecDraft['rest']): void
}

/** What a rule says besides its conditions: who decides, or whether it holds after untrusted reading. */
export function Besides({ spec: { effect, rest }, roles, errorAt, onChange }: BesidesProps) {
  const { approvers, every_time, even_untrusted, ...others } = rest
  const set = (next: Pick<SpecDraft['rest'], 'approvers' | 'every_time' | 'even_untrusted'>): void => {
    const all = { approvers, every_time, even_untrusted, ...next }
    const said = Object.entries(all).filter(([, value]) => value !== undefined)
    onChange({ ...others, ...(Object.fromEntries(said) as SpecDraft['rest']) })
  }
  if (effect === 'allow')
    return (
      <CheckField
        label={t('deciders.even_untrusted')}
        hint={t('deciders.even_untrusted_hint')}
        checked={even_untrusted === true}
        onChange={(on) => set({ even_untrusted: on ? true : undefined })}
        error={errorAt('even_untrusted')}
      />
    )
  if (effect === 'deny') return null
  const others_decide = approvers !== undefined && approvers.length > 0
  return (
    <div className="space-y-3">
      <DecidersField
        value={approvers}
        roles={roles}
        error={errorAt('approvers')}
        onChange={(next) => set({ approvers: next })}
      />
      <CheckField
        label={t('deciders.every_time')}
        hint={t(others_decide ? 'deciders.every_time_others' : 'deciders.every_time_hint')}
        checked={every_time === true || others_decide}
        disabled={others_decide}
        onChange={(on) => set({ every_time: on ? true : undefined })}
        error={errorAt('every_time')}
      />
    </div>
  )
}
