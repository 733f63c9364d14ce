import { permissionEffect } from '../../rules/tool-rules.ts'
import type { RuleGroup } from '../../rules/rule-lines.ts'
import { type MessageKey, t } from '../../text/i18n.ts'

/** Every permission with its text key. */
export const PERMISSIONS: readonly { readonly permission: string; readonly label: MessageKey }[] = [
  { permission: 'codex.use', label: 'roles.permission_codex_use' },
  { permission: 'files.read', label: 'roles.permission_files_read' },
  { permission: 'files.create', label: 'roles.permission_files_create' },
  { permission: 'files.delete', label: 'roles.permission_files_delete' },
  { permission: 'conversations.import', label: 'roles.permission_conversations_import' },
  { permission: 'audit.read', label: 'roles.permission_audit_read' },
  { permission: 'procedures.review', label: 'roles.permission_procedures_review' },
]

/** Permissions that concern Reeve itself rather than a module. There is no rule for all of them. */
export function permissionGroup(): RuleGroup {
  const title = t('roles.permissions')
  return {
    id: 'permissions',
    title,
    subject: null,
    name: title,
    count: PERMISSIONS.length,
    failed: false,
    entries: PERMISSIONS.map(({ permission, label }) => ({
      subject: permission,
      title: t(label),
      code: permission,
      effect: null,
      result: (role) => permissionEffect(role, permission),
    })),
  }
}
