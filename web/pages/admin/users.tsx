import { getRouteApi } from '@tanstack/react-router'
import { UserPlus } from 'lucide-react'
import { useCallback, useState } from 'react'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Page } from '../../parts/layout/page.tsx'
import { CreateUserDialog } from '../../admin/users/create-user-dialog.tsx'
import { type UserDialog, UserDialogs } from '../../admin/users/user-dialogs.tsx'
import { UserList } from '../../admin/users/user-list.tsx'
import { USER_STATES, type UserSearch } from '../../admin/users/users-query.ts'

const route = getRouteApi('/app/admin/$page')

/** The users: find, add, edit and delete. */
export function UsersPage() {
  const { q = '', role = null, state } = route.useSearch()
  const navigate = route.useNavigate()
  const [creating, setCreating] = useState(false)
  const [dialog, setDialog] = useState<UserDialog | null>(null)
  const search: UserSearch = { q, role, state: USER_STATES.find((one) => one === state) ?? null }
  const onSearch = useCallback(
    (next: UserSearch) =>
      void navigate({
        replace: true,
        search: {
          ...(next.q === '' ? {} : { q: next.q }),
          ...(next.role === null ? {} : { role: next.role }),
          ...(next.state === null ? {} : { state: next.state }),
        },
      }),
    [navigate],
  )
  return (
    <Page
      title={t('admin.users')}
      actions={
        <Button variant="primary" icon={UserPlus} aria-label={t('users.create')} onClick={() => setCreating(true)}>
          <span className="max-sm:hidden">{t('users.create')}</span>
        </Button>
      }
    >
      <UserList search={search} onDialog={setDialog} onSearch={onSearch} />
      {creating && (
        <CreateUserDialog
          onClose={() => setCreating(false)}
          onInvited={(user, path) => setDialog({ kind: 'link', user, path })}
        />
      )}
      {dialog !== null && <UserDialogs dialog={dialog} onDialog={setDialog} />}
    </Page>
  )
}
