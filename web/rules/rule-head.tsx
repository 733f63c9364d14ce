import { Ellipsis } from 'lucide-react'
import { classNames } from '../parts/class-names.ts'
import { t } from '../text/i18n.ts'
import type { Role } from './tool-rules.ts'

/** The head's line, as `data-line`. */
export const HEAD = 'head'

interface RuleHeadProps {
  readonly roles: readonly Role[]
  /** Column of the active cell if it is in the head, else null. */
  readonly active: string | null
  readonly menu: string | null
  /** Roles have a menu of actions. */
  readonly menus: boolean
  readonly columns: string
}

/** The row of roles: their names and numbers of users. */
export function RuleHead({ roles, active, menu, menus, columns }: RuleHeadProps) {
  return (
    <div
      role="row"
      data-line={HEAD}
      aria-rowindex={1}
      className="bg-sunken border-line grid border-b"
      style={{ gridTemplateColumns: columns }}
    >
      <div
        role="columnheader"
        className="sticky left-0 z-1 flex items-center bg-inherit px-3 py-1.5 font-medium sm:px-4"
      >
        {t('roles.subject')}
      </div>
      {roles.map((role) => (
        <div key={role.role_id} role="columnheader" className="flex min-w-0 items-center gap-1 py-1.5 ps-3 pe-1">
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium" title={role.name}>
              {role.name}
            </span>
            <span className="text-muted block truncate text-xs">
              {role.everybody ? t('roles.everybody') : t('roles.people', { count: role.users })}
              {role.admin && ` · ${t('roles.administers')}`}
            </span>
          </span>
          {menus && (
            <button
              type="button"
              data-column={role.role_id}
              tabIndex={active === role.role_id ? 0 : -1}
              aria-haspopup="menu"
              aria-expanded={menu === role.role_id}
              aria-label={t('roles.menu', { name: role.name })}
              className={classNames(
                'text-muted hover:bg-hover hover:text-ink aria-expanded:bg-hover inline-flex size-7 shrink-0 scroll-ml-48',
                'items-center justify-center rounded-md focus-visible:-outline-offset-2 md:scroll-ml-80',
              )}
            >
              <Ellipsis aria-hidden className="size-4" />
            </button>
          )}
        </div>
      ))}
    </div>
  )
}
