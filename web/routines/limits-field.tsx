import { SelectField } from '../parts/controls/select-field.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { formatDuration } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import type { Routine } from './routines-query.ts'

export type Limits = Pick<
  Routine,
  'overlap' | 'catch_up_s' | 'run_limit_s' | 'token_budget' | 'call_budget' | 'card_life_s'
>

const CATCH_UP = [0, 300, 900, 3600, 14_400, 86_400]
const WORK = [300, 900, 1800, 3600, 10_800, 43_200]
const CARDS = [900, 3600, 14_400, 43_200, 86_400, 259_200]

interface LimitsFieldProps {
  readonly value: Limits
  onChange(patch: Partial<Limits>): void
}

/** What a run that nobody watches may take, and what happens when two would meet. */
export function LimitsField({ value, onChange }: LimitsFieldProps) {
  return (
    <details className="border-line rounded-md border px-3 py-2">
      <summary className="cursor-pointer font-medium">{t('routines.limits')}</summary>
      <div className="mt-3 grid gap-3 pb-1 sm:grid-cols-2">
        <SelectField
          label={t('routines.overlap')}
          value={value.overlap}
          onChange={(overlap) => onChange({ overlap: overlap as Limits['overlap'] })}
          options={(['skip', 'queue_one'] as const).map((one) => ({ value: one, label: t(`routines.overlap_${one}`) }))}
        />
        <Seconds
          label={t('routines.catch_up')}
          choices={CATCH_UP}
          value={value.catch_up_s}
          onChange={(catch_up_s) => onChange({ catch_up_s })}
        />
        <Seconds
          label={t('routines.run_limit')}
          choices={WORK}
          value={value.run_limit_s}
          onChange={(run_limit_s) => onChange({ run_limit_s })}
        />
        <Seconds
          label={t('routines.card_life')}
          choices={CARDS}
          value={value.card_life_s}
          onChange={(card_life_s) => onChange({ card_life_s })}
        />
        <Budget
          label={t('routines.token_budget')}
          least={1000}
          value={value.token_budget}
          onChange={(token_budget) => onChange({ token_budget })}
        />
        <Budget
          label={t('routines.call_budget')}
          least={1}
          value={value.call_budget}
          onChange={(call_budget) => onChange({ call_budget })}
        />
      </div>
    </details>
  )
}

function Seconds({
  label,
  choices,
  value,
  onChange,
}: {
  readonly label: string
  readonly choices: readonly number[]
  readonly value: number
  onChange(seconds: number): void
}) {
  // What was set by a program is among them, too.
  const all = [...new Set([...choices, value])].toSorted((a, b) => a - b)
  return (
    <SelectField
      label={label}
      value={String(value)}
      onChange={(seconds) => onChange(Number(seconds))}
      options={all.map((seconds) => ({
        value: String(seconds),
        label: seconds === 0 ? t('routines.not_at_all') : formatDuration(seconds * 1000),
      }))}
    />
  )
}

function Budget({
  label,
  least,
  value,
  onChange,
}: {
  readonly label: string
  readonly least: number
  readonly value: number | null
  onChange(value: number | null): void
}) {
  return (
    <TextField
      label={label}
      hint={t('routines.budget_hint')}
      type="number"
      min={least}
      value={value === null ? '' : String(value)}
      onChange={(text) => onChange(text === '' ? null : Math.max(1, Math.round(Number(text))))}
    />
  )
}
