import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { aboutAuditQuery } from '../admin/audit/audit-query.ts'
import { DayRange } from '../admin/day-range.tsx'
import { SuggestField } from '../admin/roles/suggest-field.tsx'
import { toolsQuery } from '../client/queries.ts'
import { Button } from '../parts/controls/button.tsx'
import { SelectField } from '../parts/controls/select-field.tsx'
import { t } from '../text/i18n.ts'
import type { ChangesSearch } from './changes-query.ts'

interface ChangesFiltersProps {
  readonly search: ChangesSearch
  /** The list has everybody's, so that a person can be chosen. */
  readonly all: boolean
  onChange(search: ChangesSearch): void
}

/** Filters of the list: person, tool, machine, days. On a phone behind a button. */
export function ChangesFilters({ search, all, onChange }: ChangesFiltersProps) {
  const people = useQuery({ ...aboutAuditQuery, enabled: all }).data?.people ?? []
  const tools = useQuery(toolsQuery).data?.items ?? []
  const [open, setOpen] = useState(false)
  return (
    <div role="search" className="grid grid-cols-2 items-end gap-3 md:grid-cols-3 lg:grid-cols-5">
      <Button aria-expanded={open} onClick={() => setOpen(!open)} className="col-span-2 w-fit md:hidden">
        {t('audit.filters')}
      </Button>
      <div className={open ? 'contents' : 'contents max-md:hidden'}>
        {all && (
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
            ]}
          />
        )}
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
        <DayRange search={search} onChange={onChange} />
      </div>
    </div>
  )
}
