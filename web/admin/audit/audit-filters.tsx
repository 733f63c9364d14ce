import { X } from 'lucide-react'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { SearchField } from '../search-field.tsx'
import { actionLabel, AUDIT_ACTIONS } from './audit-actions.ts'
import { type AuditSearch, OUTCOMES } from './audit-query.ts'
import { useActorName } from './use-actor-name.ts'

interface AuditFiltersProps {
  readonly search: AuditSearch
  onChange(search: AuditSearch): void
}

/** Filters of the log: words, action, outcome, days, and the user or target that a link named. */
export function AuditFilters({ search, onChange }: AuditFiltersProps) {
  const actor = useActorName(search.user)
  const actions = [...new Set<string>([...AUDIT_ACTIONS, ...(search.action === undefined ? [] : [search.action])])]
  return (
    <div role="search" className="space-y-3">
      <div className="grid grid-cols-2 items-end gap-3 md:grid-cols-3 lg:grid-cols-[2fr_1.5fr_1fr_1fr_1fr]">
        <SearchField
          label={t('audit.search')}
          value={search.q ?? ''}
          onChange={(q) => onChange({ ...search, q })}
          className="col-span-2 md:col-span-1"
        />
        <SelectField
          label={t('audit.action')}
          value={search.action ?? ''}
          onChange={(action) => onChange({ ...search, action })}
          options={[
            { value: '', label: t('audit.action_any') },
            ...actions
              .map((action) => ({ value: action, label: actionLabel(action) }))
              .toSorted((a, b) => a.label.localeCompare(b.label)),
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
        <TextField
          label={t('audit.from')}
          type="date"
          value={search.from ?? ''}
          max={search.to}
          onChange={(from) => onChange({ ...search, from })}
        />
        <TextField
          label={t('audit.to')}
          type="date"
          value={search.to ?? ''}
          min={search.from}
          onChange={(to) => onChange({ ...search, to })}
        />
      </div>
      {(search.user !== undefined || search.target !== undefined) && (
        <div className="flex flex-wrap gap-2">
          {search.user !== undefined && (
            <Button size="sm" icon={X} onClick={() => onChange({ ...search, user: undefined })}>
              {t('audit.by', { name: actor })}
            </Button>
          )}
          {search.target !== undefined && (
            <Button size="sm" icon={X} onClick={() => onChange({ ...search, target: undefined })}>
              {t('audit.about', { name: search.target })}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}
