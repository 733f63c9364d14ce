import { Plus, Trash2 } from 'lucide-react'
import type { Approvers } from '../../../contract/rule-conditions.ts'
import { RULE_LIMITS } from '../../../contract/rule-limits.ts'
import { Button } from '../../parts/controls/button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import type { Role } from '../tool-rules.ts'

interface DecidersFieldProps {
  /** Undefined: as without a rule; empty: whoever asks. */
  readonly value: readonly Approvers[] | undefined
  readonly roles: readonly Role[]
  readonly error: string | null
  onChange(value: Approvers[] | undefined): void
}

const COUNTS = ['1', '2', '3']

/** Who decides on a call that asks: as by default, whoever asks, or so many people of other roles. */
export function DecidersField({ value, roles, error, onChange }: DecidersFieldProps) {
  const people = roles.filter(({ everybody }) => !everybody)
  const named = value ?? []
  const open = people.filter(({ role_id }) => named.every((one) => one.role_id !== role_id))
  const who = value === undefined ? 'default' : named.length === 0 ? 'self' : 'others'
  const first = people.find(({ admin }) => admin) ?? people[0]
  const choose = (next: string): void => {
    if (next === 'default') onChange(undefined)
    else onChange(next === 'self' || first === undefined ? [] : [{ role_id: first.role_id, count: 1 }])
  }
  const change = (at: number, next: Partial<Approvers>): void =>
    onChange(named.map((one, i) => (i === at ? { ...one, ...next } : one)))
  return (
    <div className="space-y-3">
      <SelectField
        label={t('deciders.who')}
        value={who}
        onChange={choose}
        options={(['default', 'self', 'others'] as const).map((one) => ({ value: one, label: t(`deciders.${one}`) }))}
        hint={t(`deciders.${who}_hint`)}
        error={error}
      />
      {named.map(({ role_id, count }, at) => (
        <div key={role_id} className="flex items-end gap-2">
          <div className="w-20 shrink-0">
            <SelectField
              label={t('deciders.people')}
              value={String(count)}
              onChange={(next) => change(at, { count: Number(next) })}
              options={COUNTS.map((one) => ({ value: one, label: formatNumber(Number(one)) }))}
            />
          </div>
          <div className="min-w-0 flex-1">
            <SelectField
              label={t('deciders.with_role')}
              value={role_id}
              onChange={(next) => change(at, { role_id: next })}
              options={people
                .filter((one) => one.role_id === role_id || open.includes(one))
                .map((one) => ({ value: one.role_id, label: one.name }))}
            />
          </div>
          {named.length > 1 && (
            <IconButton
              label={t('deciders.remove')}
              icon={Trash2}
              onClick={() => onChange(named.filter((_one, i) => i !== at))}
            />
          )}
        </div>
      ))}
      {named.length > 0 && named.length < RULE_LIMITS.approvers && open[0] !== undefined && (
        <Button size="sm" icon={Plus} onClick={() => onChange([...named, { role_id: open[0]!.role_id, count: 1 }])}>
          {t('deciders.add')}
        </Button>
      )}
    </div>
  )
}
