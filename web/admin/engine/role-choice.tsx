import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { classNames } from '../../parts/class-names.ts'
import { t } from '../../text/i18n.ts'
import { rolesQuery } from './engine-query.ts'

interface RoleChoiceProps {
  /** Empty: everybody. */
  readonly chosen: readonly string[]
  onChange(role_ids: readonly string[]): void
}

/** Who may use an engine: everybody, or the chosen roles. */
export function RoleChoice({ chosen, onChange }: RoleChoiceProps) {
  const roles = useQuery(rolesQuery).data ?? []
  const id = useId()
  const toggle = (role_id: string): void =>
    onChange(chosen.includes(role_id) ? chosen.filter((one) => one !== role_id) : [...chosen, role_id])
  return (
    <div role="group" aria-labelledby={id}>
      <p id={id} className="mb-1.5 font-medium">
        {t('engine.roles')}
      </p>
      <div className="flex flex-wrap gap-2">
        <Choice pressed={chosen.length === 0} onClick={() => onChange([])}>
          {t('engine.roles_all')}
        </Choice>
        {roles.map(({ role_id, name }) => (
          <Choice key={role_id} pressed={chosen.includes(role_id)} onClick={() => toggle(role_id)}>
            {name}
          </Choice>
        ))}
      </div>
      <p className="text-muted mt-1.5 text-sm">{t('engine.roles_hint')}</p>
    </div>
  )
}

interface ChoiceProps {
  readonly pressed: boolean
  readonly children: string
  onClick(): void
}

function Choice({ pressed, children, onClick }: ChoiceProps) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={onClick}
      className={classNames(
        'h-8 max-w-full truncate rounded-md border px-3 text-sm transition-colors duration-100',
        pressed
          ? 'border-accent bg-accent-soft text-accent font-medium'
          : 'border-line-strong/60 bg-surface hover:bg-hover',
      )}
    >
      {children}
    </button>
  )
}
