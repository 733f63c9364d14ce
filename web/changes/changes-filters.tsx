import { useQuery } from '@tanstack/react-query'
import { aboutAuditQuery } from '../admin/audit/audit-query.ts'
import { toolsQuery } from '../client/queries.ts'
import { FilterBar } from '../parts/filters/filter-bar.tsx'
import { FilterChoice } from '../parts/filters/filter-choice.tsx'
import { FilterDays } from '../parts/filters/filter-days.tsx'
import { FilterPerson } from '../parts/filters/filter-person.tsx'
import { FilterText } from '../parts/filters/filter-text.tsx'
import { t } from '../text/i18n.ts'
import type { ChangesSearch } from './changes-query.ts'

interface ChangesFiltersProps {
  readonly search: ChangesSearch
  /** The list has everybody's, so that a person can be chosen. */
  readonly all: boolean
  onChange(search: ChangesSearch): void
  readonly count: string | null
}

/** Filters of the list: person, tool, machine, days. */
export function ChangesFilters({ search, all, onChange, count }: ChangesFiltersProps) {
  const people = useQuery({ ...aboutAuditQuery, enabled: all }).data?.people ?? []
  const tools = useQuery(toolsQuery).data?.items ?? []
  return (
    <FilterBar set={Object.values(search).filter(Boolean).length} onClear={() => onChange({})} count={count}>
      {all && (
        <FilterPerson people={people} value={search.user ?? ''} onChange={(user) => onChange({ ...search, user })} />
      )}
      <FilterText
        label={t('audit.tool')}
        value={search.tool ?? ''}
        placeholder={t('audit.tool_hint')}
        onChange={(tool) => onChange({ ...search, tool })}
        options={tools.map(({ module, tool, title }) => ({ value: `${module}.${tool}`, label: title }))}
      />
      <FilterChoice
        label={t('audit.host')}
        value={search.host ?? ''}
        onChange={(host) => onChange({ ...search, host })}
        any={t('audit.host_any')}
        options={[{ value: 'local', label: t('audit.host_this') }]}
      />
      <FilterDays search={search} onChange={onChange} />
    </FilterBar>
  )
}
