import { DeleteUserDialog } from './delete-user-dialog.tsx'
import { DisableUserDialog } from './disable-user-dialog.tsx'
import { EditUserDialog } from './edit-user-dialog.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { InviteLinkDialog } from './invite-link-dialog.tsx'
import { SecondFactorDialog } from './second-factor-dialog.tsx'
import { UserSessionsDialog } from './user-sessions-dialog.tsx'
import type { User } from './users-query.ts'

/** The open user dialog. `link`: the path of a new link. */
export type UserDialog =
  | { readonly kind: 'edit' | 'invite' | 'sessions' | 'disable' | 'second_factor' | 'delete'; readonly user: User }
  | { readonly kind: 'link'; readonly user: User; readonly path: string }

interface UserDialogsProps {
  readonly dialog: UserDialog
  onDialog(dialog: UserDialog | null): void
}

/** Shows the user dialog that is open. */
export function UserDialogs({ dialog, onDialog }: UserDialogsProps) {
  const { user } = dialog
  const onClose = (): void => onDialog(null)
  switch (dialog.kind) {
    case 'edit':
      return <EditUserDialog user={user} onClose={onClose} />
    case 'invite':
      return <InviteDialog user={user} onClose={onClose} onInvited={(path) => onDialog({ kind: 'link', user, path })} />
    case 'link':
      return <InviteLinkDialog user={user} path={dialog.path} onClose={onClose} />
    case 'sessions':
      return <UserSessionsDialog user={user} onClose={onClose} />
    case 'disable':
      return <DisableUserDialog user={user} onClose={onClose} />
    case 'second_factor':
      return <SecondFactorDialog user={user} onClose={onClose} />
    case 'delete':
      return <DeleteUserDialog user={user} onClose={onClose} />
  }
}
