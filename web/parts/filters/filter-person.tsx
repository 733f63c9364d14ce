import { t } from '../../text/i18n.ts'
import { FilterChoice } from './filter-choice.tsx'

interface FilterPersonProps {
  /** In the order shown. */
  readonly people: readonly { readonly user_id: string; readonly username: string; readonly display_name: string }[]
  /** The id of a user; empty: everyone. */
  readonly value: string
  onChange(value: string): void
}

/** Whose entries a list shows. */
export function FilterPerson({ people, value, onChange }: FilterPersonProps) {
  return (
    <FilterChoice
      label={t('audit.person')}
      value={value}
      onChange={onChange}
      any={t('audit.person_any')}
      options={people.map(({ user_id, username, display_name }) => ({
        value: user_id,
        label: display_name || username,
      }))}
    />
  )
}
