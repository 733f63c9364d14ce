import { useQuery } from '@tanstack/react-query'
import { currentLanguage, t } from '../../text/i18n.ts'
import { FilterBar } from '../../parts/filters/filter-bar.tsx'
import { FilterChoice } from '../../parts/filters/filter-choice.tsx'
import { FilterDays } from '../../parts/filters/filter-days.tsx'
import { FilterPerson } from '../../parts/filters/filter-person.tsx'
import { ENDED, type RunSearch, runPeopleQuery } from './runs-query.ts'

interface HistoryFiltersProps {
  readonly search: RunSearch
  /** Models of the runs shown. */
  readonly models: readonly string[]
  onChange(search: RunSearch): void
  readonly count: string | null
}

/** Filters of past runs: person, state, model, days. */
export function HistoryFilters({ search, models, onChange, count }: HistoryFiltersProps) {
  const people = useQuery(runPeopleQuery).data ?? []
  const { user, state, model } = search
  const chosen = model?.startsWith('model:') === true ? [model.slice('model:'.length)] : []
  const known = [...new Set([...models, ...chosen])].toSorted()
  return (
    <FilterBar set={Object.values(search).filter(Boolean).length} onClear={() => onChange({})} count={count}>
      <FilterPerson
        people={people.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b), currentLanguage()))}
        value={user ?? ''}
        onChange={(value) => onChange({ ...search, user: value })}
      />
      <FilterChoice
        label={t('runs.state')}
        value={state ?? ''}
        onChange={(value) => onChange({ ...search, state: value })}
        any={t('runs.state_any')}
        options={ENDED.map((value) => ({ value, label: t(`run_status.${value}`) }))}
      />
      <FilterChoice
        label={t('runs.model')}
        value={model ?? ''}
        onChange={(value) => onChange({ ...search, model: value })}
        any={t('runs.model_any')}
        options={[
          { value: 'direct', label: t('runs.direct') },
          ...known.map((value) => ({ value: `model:${value}`, label: value })),
        ]}
      />
      <FilterDays search={search} onChange={onChange} />
    </FilterBar>
  )
}

function nameOf({ display_name, username }: { readonly display_name: string; readonly username: string }): string {
  return display_name || username
}
