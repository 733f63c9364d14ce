import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { toolsQuery } from '../../client/queries.ts'
import { currentLanguage, t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { FilterBar } from '../../parts/filters/filter-bar.tsx'
import { FilterChoice } from '../../parts/filters/filter-choice.tsx'
import { FilterDays } from '../../parts/filters/filter-days.tsx'
import { FilterPerson } from '../../parts/filters/filter-person.tsx'
import { FilterText } from '../../parts/filters/filter-text.tsx'
import { actionLabel, AUDIT_ACTIONS } from './audit-actions.ts'
import { aboutAuditQuery, type AuditSearch, OUTCOMES } from './audit-query.ts'

interface AuditFiltersProps {
  readonly search: AuditSearch
  onChange(search: AuditSearch): void
  readonly count: string | null
}

/** Filters of the log: words, person, action, tool, machine, outcome, days, and the target that a link named. */
export function AuditFilters({ search, onChange, count }: AuditFiltersProps) {
  const people = useQuery(aboutAuditQuery).data?.people ?? []
  const tools = useQuery(toolsQuery).data?.items ?? []
  const actions = [...new Set<string>([...AUDIT_ACTIONS, ...(search.action === undefined ? [] : [search.action])])]
  return (
    <div className="space-y-3">
      <FilterBar
        search={{ label: t('audit.search'), value: search.q ?? '', onChange: (q) => onChange({ ...search, q }) }}
        set={Object.values(search).filter(Boolean).length}
        onClear={() => onChange({})}
        count={count}
      >
        <FilterPerson people={people} value={search.user ?? ''} onChange={(user) => onChange({ ...search, user })} />
        <FilterChoice
          label={t('audit.action')}
          value={search.action ?? ''}
          onChange={(action) => onChange({ ...search, action })}
          any={t('audit.action_any')}
          options={actions
            .map((action) => ({ value: action, label: actionLabel(action) }))
            .toSorted((a, b) => a.label.localeCompare(b.label, currentLanguage()))}
        />
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
        <FilterChoice
          label={t('audit.outcome')}
          value={search.outcome ?? ''}
          onChange={(outcome) => onChange({ ...search, outcome })}
          any={t('audit.outcome_any')}
          options={OUTCOMES.map((outcome) => ({ value: outcome, label: t(`audit.outcome_${outcome}`) }))}
        />
        <FilterDays search={search} onChange={onChange} />
      </FilterBar>
      {search.target !== undefined && (
        <Button size="sm" icon={X} onClick={() => onChange({ ...search, target: undefined })}>
          {t('audit.about', { name: search.target })}
        </Button>
      )}
    </div>
  )
}
