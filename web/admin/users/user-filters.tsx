import { useQuery } from '@tanstack/react-query'
import { t } from '../../text/i18n.ts'
import { rolesOfUsersQuery } from '../../modules/list/module-queries.ts'
import { FilterBar } from '../../parts/filters/filter-bar.tsx'
import { FilterChoice } from '../../parts/filters/filter-choice.tsx'
import { EVERYONE, USER_STATES, type UserSearch, type UserState } from './users-query.ts'

interface UserFiltersProps {
  readonly search: UserSearch
  onChange(search: UserSearch): void
  readonly count: string | null
}

/** The users by words, role and state. */
export function UserFilters({ search, onChange, count }: UserFiltersProps) {
  const roles = useQuery(rolesOfUsersQuery).data ?? []
  return (
    <FilterBar
      search={{ label: t('users.search'), value: search.q, onChange: (q) => onChange({ ...search, q }) }}
      set={[search.q !== '', search.role, search.state].filter(Boolean).length}
      onClear={() => onChange(EVERYONE)}
      count={count}
    >
      <FilterChoice
        label={t('users.role')}
        value={search.role ?? ''}
        onChange={(role) => onChange({ ...search, role: role === '' ? null : role })}
        any={t('users.role_all')}
        options={roles.map(({ role_id, name }) => ({ value: role_id, label: name }))}
      />
      <FilterChoice
        label={t('users.state')}
        value={search.state ?? ''}
        onChange={(state) => onChange({ ...search, state: state === '' ? null : (state as UserState) })}
        any={t('runs.state_any')}
        options={USER_STATES.map((state) => ({ value: state, label: t(`users.state_${state}`) }))}
      />
    </FilterBar>
  )
}
