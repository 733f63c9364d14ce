import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { toolsQuery } from '../../client/queries.ts'
import { DayRange } from '../day-range.tsx'
import { currentLanguage, t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { SuggestField } from '../roles/suggest-field.tsx'
import { SearchField } from '../search-field.tsx'
import { actionLabel, AUDIT_ACTIONS } from './audit-actions.ts'
import { aboutAuditQuery, type AuditSearch, OUTCOMES } from './audit-query.ts'

interface AuditFiltersProps {
  readonly search: AuditSearch
  onChange(search: AuditSearch): void
}

/** Filters of the log: words, person, action, tool, machine, outcome, days, and the target that a link named. */
export function AuditFilters({ search, onChange }: AuditFiltersProps) {
  const people = useQuery(aboutAuditQuery).data?.people ?? []
  const tools = useQuery(toolsQuery).data?.items ?? []
  const [open, setOpen] = useState(false)
  const gone = search.user !== undefined && !people.some(({ user_id }) => user_id === search.user)
  const actions = [...new Set<string>([...AUDIT_ACTIONS, ...(search.action === undefined ? [] : [search.action])])]
  return (
    <div role="search" className="space-y-3">
      <div className="grid grid-cols-2 items-end gap-3 md:grid-cols-4">
        <SearchField
          label={t('audit.search')}
          value={search.q ?? ''}
          onChange={(q) => onChange({ ...search, q })}
          className="max-md:col-span-2"
        />
        <Button aria-expanded={open} onClick={() => setOpen(!open)} className="col-span-2 w-fit md:hidden">
          {t('audit.filters')}
        </Button>
        <div className={open ? 'contents' : 'contents max-md:hidden'}>
          <SelectField
            label={t('audit.person')}
            value={search.user ?? ''}
            onChange={(user) => onChange({ ...search, user })}
            options={[
              { value: '', label: t('audit.person_any') },
              ...people.map(({ user_id, username, display_name }) => ({
                value: user_id,
                label: display_name || username,
              })),
              ...(gone ? [{ value: search.user, label: search.user }] : []),
            ]}
          />
          <SelectField
            label={t('audit.action')}
            value={search.action ?? ''}
            onChange={(action) => onChange({ ...search, action })}
            options={[
              { value: '', label: t('audit.action_any') },
              ...actions
                .map((action) => ({ value: action, label: actionLabel(action) }))
                .toSorted((a, b) => a.label.localeCompare(b.label, currentLanguage())),
            ]}
          />
          <SuggestField
            label={t('audit.tool')}
            value={search.tool ?? ''}
            placeholder={t('audit.tool_hint')}
            error={null}
            onChange={(tool) => onChange({ ...search, tool })}
            options={tools.map(({ module, tool, title }) => ({ value: `${module}.${tool}`, label: title }))}
          />
          <SelectField
            label={t('audit.host')}
            value={search.host ?? ''}
            onChange={(host) => onChange({ ...search, host })}
            options={[
              { value: '', label: t('audit.host_any') },
              { value: 'local', label: t('audit.host_this') },
            ]}
          />
          <SelectField
            label={t('audit.outcome')}
            value={search.outcome ?? ''}
            onChange={(outcome) => onChange({ ...search, outcome })}
            options={[
              { value: '', label: t('audit.outcome_any') },
              ...OUTCOMES.map((outcome) => ({ value: outcome, label: t(`audit.outcome_${outcome}`) })),
            ]}
          />
          <DayRange search={search} onChange={onChange} />
        </div>
      </div>
      {search.target !== undefined && (
        <Button size="sm" icon={X} onClick={() => onChange({ ...search, target: undefined })}>
          {t('audit.about', { name: search.target })}
        </Button>
      )}
    </div>
  )
}
