import { useQuery } from '@tanstack/react-query'
import { DayRange } from '../day-range.tsx'
import { currentLanguage, t } from '../../text/i18n.ts'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { ENDED, type RunSearch, runPeopleQuery } from './runs-query.ts'

interface HistoryFiltersProps {
  readonly search: RunSearch
  /** Models of the runs shown. */
  readonly models: readonly string[]
  onChange(search: RunSearch): void
}

/** Filters of past runs: person, state, model, days. */
export function HistoryFilters({ search, models, onChange }: HistoryFiltersProps) {
  const people = useQuery(runPeopleQuery).data ?? []
  const { user, state, model } = search
  const gone = user !== undefined && !people.some(({ user_id }) => user_id === user)
  const chosen = model?.startsWith('model:') === true ? [model.slice('model:'.length)] : []
  const known = [...new Set([...models, ...chosen])].toSorted()
  return (
    <div role="search" className="grid grid-cols-2 items-end gap-3 md:grid-cols-5">
      <SelectField
        label={t('audit.person')}
        value={user ?? ''}
        onChange={(value) => onChange({ ...search, user: value })}
        options={[
          { value: '', label: t('audit.person_any') },
          ...people
            .map(({ user_id, username, display_name }) => ({ value: user_id, label: display_name || username }))
            .toSorted((a, b) => a.label.localeCompare(b.label, currentLanguage())),
          ...(gone ? [{ value: user, label: user }] : []),
        ]}
      />
      <SelectField
        label={t('runs.state')}
        value={state ?? ''}
        onChange={(value) => onChange({ ...search, state: value })}
        options={[
          { value: '', label: t('runs.state_any') },
          ...ENDED.map((value) => ({ value, label: t(`run_status.${value}`) })),
        ]}
      />
      <SelectField
        label={t('runs.model')}
        value={model ?? ''}
        onChange={(value) => onChange({ ...search, model: value })}
        className="max-md:col-span-2"
        options={[
          { value: '', label: t('runs.model_any') },
          { value: 'direct', label: t('runs.direct') },
          ...known.map((value) => ({ value: `model:${value}`, label: value })),
        ]}
      />
      <DayRange search={search} onChange={onChange} />
    </div>
  )
}
