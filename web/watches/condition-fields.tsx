import { SelectField } from '../parts/controls/select-field.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { formatDuration } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import type { SaidFault, WatchDraft } from './watch-draft.ts'

interface ConditionFieldsProps {
  readonly draft: WatchDraft
  error(fault: SaidFault): string | null
  onChange(patch: Partial<WatchDraft>): void
}

const INTERVALS = [60, 300, 900, 1800, 3600, 21_600, 86_400]

/** When a value counts: the bound, for how long, and when it is back. */
export function ConditionFields({ draft, error, onChange }: ConditionFieldsProps) {
  const plain = { inputMode: 'decimal', autoComplete: 'off' } as const
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <SelectField
          label={t('watches.when')}
          value={draft.is}
          onChange={(is) => onChange({ is: is as WatchDraft['is'] })}
          options={(['above', 'below', 'equals'] as const).map((value) => ({ value, label: t(`watches.is_${value}`) }))}
        />
        <TextField
          label={t('watches.bound')}
          hint={unitOf(draft.what)}
          value={draft.bound}
          onChange={(bound) => onChange({ bound })}
          error={error('bound')}
          {...plain}
          inputMode={draft.what === 'table' && draft.is === 'equals' ? 'text' : 'decimal'}
        />
        <TextField
          label={t('watches.for_min')}
          value={draft.for_min}
          onChange={(for_min) => onChange({ for_min })}
          error={error('for_min')}
          {...plain}
        />
        {draft.is !== 'equals' && (
          <TextField
            label={t('watches.back')}
            value={draft.back}
            onChange={(back) => onChange({ back })}
            error={error('back')}
            placeholder={draft.bound}
            {...plain}
          />
        )}
      </div>
      <SelectField
        label={t('watches.interval')}
        value={String(draft.interval_s)}
        onChange={(value) => onChange({ interval_s: Number(value) })}
        options={[...new Set([...INTERVALS, draft.interval_s])]
          .toSorted((a, b) => a - b)
          .map((seconds) => ({ value: String(seconds), label: formatDuration(seconds * 1000) }))}
      />
    </>
  )
}

function unitOf(what: WatchDraft['what']): string | undefined {
  switch (what) {
    case 'disk_used':
    case 'memory_used':
      return t('watches.unit_percent')
    case 'load':
      return t('watches.unit_load')
    case 'backup_age':
      return t('watches.unit_hours')
    case 'certificate_days':
      return t('watches.unit_days')
    default:
      return undefined
  }
}
