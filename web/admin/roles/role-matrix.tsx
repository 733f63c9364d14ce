import type { ModuleEntry } from '../../../contract/modules.ts'
import { t } from '../../text/i18n.ts'
import { Panel } from '../../parts/layout/panel.tsx'
import type { DrawCells } from './draw-cells.ts'
import { ModuleRows } from './module-rows.tsx'
import { PermissionRows } from './permission-rows.tsx'
import type { RoleDialog } from './role-dialogs.tsx'
import { RoleHead } from './role-head.tsx'
import { RuleCells } from './rule-cells.tsx'
import type { RoleDraft } from './use-role-draft.ts'

interface RoleMatrixProps {
  readonly draft: RoleDraft
  readonly modules: readonly ModuleEntry[]
  /** Words that a row must contain. */
  readonly filter: string
  /** The role whose column a narrow screen shows. */
  readonly shown: string
  onDialog(dialog: RoleDialog): void
}

/** Permissions and tools down, roles across; a narrow screen shows one role at a time. */
export function RoleMatrix({ draft, modules, filter, shown, onDialog }: RoleMatrixProps) {
  const cells: DrawCells = (subject, name, result) => (
    <RuleCells draft={draft} shown={shown} subject={subject} name={name} result={result} />
  )
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word))
  return (
    <Panel className="max-h-[75dvh] overflow-auto!">
      <table className="w-full border-separate border-spacing-0 text-left max-md:table-fixed">
        <caption className="sr-only">{t('roles.table')}</caption>
        <thead>
          <tr>
            <th
              scope="col"
              className="bg-sunken border-line sticky top-0 left-0 z-3 border-b px-3 py-2 align-top font-medium sm:px-4"
            >
              {t('roles.subject')}
            </th>
            {draft.roles.map((role) => (
              <RoleHead key={role.role_id} role={role} shown={role.role_id === shown} onDialog={onDialog} />
            ))}
          </tr>
        </thead>
        <PermissionRows fits={fits} cells={cells} />
        {modules.map((module) => (
          <ModuleRows key={module.name} module={module} fits={fits} filtering={words.length > 0} cells={cells} />
        ))}
      </table>
    </Panel>
  )
}
