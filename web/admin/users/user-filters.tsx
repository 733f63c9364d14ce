import { useQuery } from '@tanstack/react-query'
import { t } from '../../text/i18n.ts'
import { rolesOfUsersQuery } from '../../modules/list/module-queries.ts'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { SearchField } from '../search-field.tsx'
import { USER_STATES, type UserSearch, type UserState } from './users-query.ts'

interface UserFiltersProps {
  readonly search: UserSearch
  onChange(search: UserSearch): void
}

/** Search by words, role and state. */
export function UserFilters({ search, onChange }: UserFiltersProps) {
  const roles = useQuery(rolesOfUsersQuery).data ?? []
  return (
    <div role="search" className="grid grid-cols-2 items-end gap-3 sm:grid-cols-[1fr_12rem_12rem]">
      <SearchField
        label={t('users.search')}
        value={search.q}
        onChange={(q) => onChange({ ...search, q })}
        className="max-sm:col-span-2"
      />
      <SelectField
        label={t('users.role')}
        value={search.role ?? ''}
        onChange={(role) => onChange({ ...search, role: role === '' ? null : role })}
        options={[
          { value: '', label: t('users.role_all') },
          ...roles.map(({ role_id, name }) => ({ value: role_id, label: name })),
        ]}
      />
      <SelectField
        label={t('users.state')}
        value={search.state ?? ''}
        onChange={(state) => onChange({ ...search, state: state === '' ? null : (state as UserState) })}
        options={[
          { value: '', label: t('users.state_all') },
          ...USER_STATES.map((state) => ({ value: state, label: t(`users.state_${state}`) })),
        ]}
      />
    </div>
  )
}
