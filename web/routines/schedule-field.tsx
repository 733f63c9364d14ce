import { CheckField } from '../parts/controls/check-field.tsx'
import { SelectField } from '../parts/controls/select-field.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { t } from '../text/i18n.ts'
import { ownZone } from '../text/own-zone.ts'
import { NextTimes } from './next-times.tsx'
import { cronOf, EVERY, type Often, type ScheduleDraft } from './schedule-draft.ts'
import { weekdayNames } from '../text/zone-time.ts'

interface ScheduleFieldProps {
  readonly value: ScheduleDraft
  onChange(value: ScheduleDraft): void
}

/** When a routine runs: the usual ways in words, any other as an expression; with its next times below. */
export function ScheduleField({ value, onChange }: ScheduleFieldProps) {
  const { often, time, days, day, cron, zone } = value
  const change = (patch: Partial<ScheduleDraft>): void => onChange({ ...value, ...patch })
  const zones = [...new Set([ownZone(), zone, 'UTC', ...Intl.supportedValuesOf('timeZone')])]
  const written = cronOf(value)
  return (
    <fieldset className="space-y-3">
      <legend className="sr-only">{t('routines.when')}</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label={t('routines.when')}
          value={often}
          onChange={(next) => change({ often: next as Often, cron: next === 'cron' ? (written ?? cron) : cron })}
          options={EVERY.map((one) => ({ value: one, label: t(`routines.often_${one}`) }))}
        />
        {often === 'cron' ? (
          <TextField
            label={t('routines.cron')}
            hint={t('routines.cron_hint')}
            value={cron}
            onChange={(next) => change({ cron: next })}
            placeholder="30 7 * * 1-5"
            autoComplete="off"
            spellCheck={false}
            className="[&_input]:font-mono"
          />
        ) : (
          often !== 'never' && (
            <TextField
              label={t(often === 'hourly' ? 'routines.minute' : 'routines.time')}
              type={often === 'hourly' ? 'number' : 'time'}
              {...(often === 'hourly' && { min: 0, max: 59 })}
              value={often === 'hourly' ? String(Number(time.slice(3))) : time}
              onChange={(next) => change({ time: often === 'hourly' ? `00:${next.padStart(2, '0')}` : next })}
            />
          )
        )}
      </div>
      {often === 'weekly' && (
        <div role="group" aria-label={t('routines.days')} className="flex flex-wrap gap-x-4 gap-y-2">
          {weekdayNames().map(({ index, name }) => (
            <CheckField
              key={index}
              label={name}
              checked={days.includes(index)}
              onChange={(on) => change({ days: on ? [...days, index] : days.filter((each) => each !== index) })}
            />
          ))}
        </div>
      )}
      {often === 'monthly' && (
        <TextField
          label={t('routines.day')}
          hint={t('routines.day_hint')}
          type="number"
          min={1}
          max={31}
          value={String(day)}
          onChange={(next) => change({ day: Math.min(31, Math.max(1, Number(next) || 1)) })}
        />
      )}
      {often !== 'never' && (
        <>
          <SelectField
            label={t('routines.zone')}
            value={zone}
            onChange={(next) => change({ zone: next })}
            options={zones.map((one) => ({ value: one, label: one }))}
          />
          {written !== null && <NextTimes cron={written} zone={zone} />}
        </>
      )}
    </fieldset>
  )
}
