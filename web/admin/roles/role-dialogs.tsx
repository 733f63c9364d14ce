import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../client/api.ts'
import { NameDialog } from '../../chat/list/name-dialog.tsx'
import { t } from '../../text/i18n.ts'
import type { Role } from '../../rules/tool-rules.ts'
import { toast } from '../../parts/feedback/toast.tsx'
import { DeleteRoleDialog } from './delete-role-dialog.tsx'
import { ElevatableDialog } from './elevatable-dialog.tsx'

/** The open role dialog. `from`: the role whose rules a new role starts with. */
export type RoleDialog =
  | { readonly kind: 'create'; readonly from: Role | null }
  | { readonly kind: 'rename' | 'delete' | 'elevatable'; readonly role: Role }

const NAME_LIMIT = 60

/** Shows the role dialog that is open. */
export function RoleDialogs({ dialog, onClose }: { readonly dialog: RoleDialog; onClose(): void }) {
  const queryClient = useQueryClient()
  const changed = async (text: string): Promise<void> => {
    toast({ text, tone: 'ok' })
    await queryClient.invalidateQueries({ queryKey: ['roles'] })
    await queryClient.invalidateQueries({ queryKey: ['users'] })
  }
  if (dialog.kind === 'delete') return <DeleteRoleDialog role={dialog.role} onDeleted={changed} onClose={onClose} />
  if (dialog.kind === 'elevatable') return <ElevatableDialog role={dialog.role} onSaved={changed} onClose={onClose} />
  const naming = { label: t('roles.name'), maxLength: NAME_LIMIT, onClose }
  if (dialog.kind === 'create') {
    const { from } = dialog
    return (
      <NameDialog
        {...naming}
        title={from === null ? t('roles.create') : t('roles.copy_title', { name: from.name })}
        value={from === null ? '' : t('roles.copy_name', { name: from.name }).slice(0, NAME_LIMIT)}
        onSave={async (name) => {
          await call('POST /api/admin/roles', { body: { name, rules: from?.rules ?? [] } })
          await changed(t('roles.created', { name }))
        }}
      />
    )
  }
  const { role } = dialog
  return (
    <NameDialog
      {...naming}
      title={t('roles.rename_title', { name: role.name })}
      value={role.name}
      onSave={async (name) => {
        await call('PATCH /api/admin/roles/{role_id}', { params: { role_id: role.role_id }, body: { name } })
        await changed(t('roles.renamed', { name }))
      }}
    />
  )
}
