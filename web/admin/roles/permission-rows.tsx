import { type MessageKey, t } from '../../text/i18n.ts'
import { permissionEffect } from '../../modules/tools/tool-rules.ts'
import type { DrawCells } from './draw-cells.ts'
import { RowHead } from './row-head.tsx'

/** Every permission with its text key. */
export const PERMISSIONS: readonly { readonly permission: string; readonly label: MessageKey }[] = [
  { permission: 'codex.use', label: 'roles.permission_codex_use' },
  { permission: 'files.read', label: 'roles.permission_files_read' },
  { permission: 'files.create', label: 'roles.permission_files_create' },
  { permission: 'files.delete', label: 'roles.permission_files_delete' },
  { permission: 'conversations.import', label: 'roles.permission_conversations_import' },
  { permission: 'audit.read', label: 'roles.permission_audit_read' },
]

interface PermissionRowsProps {
  fits(text: string): boolean
  readonly cells: DrawCells
}

/** Permissions that concern Reeve itself rather than a module. */
export function PermissionRows({ fits, cells }: PermissionRowsProps) {
  const rows = PERMISSIONS.map(({ permission, label }) => ({ permission, title: t(label) })).filter(
    ({ permission, title }) => fits(`${permission} ${title}`),
  )
  if (rows.length === 0) return null
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" className="px-3 pt-3 pb-1 font-semibold sm:px-4">
          {t('roles.permissions')}
        </th>
      </tr>
      {rows.map(({ permission, title }) => (
        <tr key={permission}>
          <RowHead title={title} code={permission} />
          {cells(permission, title, (role) => permissionEffect(role, permission))}
        </tr>
      ))}
    </tbody>
  )
}
