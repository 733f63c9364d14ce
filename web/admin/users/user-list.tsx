import { useInfiniteQuery } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { countOf } from '../../parts/filters/filter-bar.tsx'
import type { UserDialog } from './user-dialogs.tsx'
import { UserFilters } from './user-filters.tsx'
import { UserRow } from './user-row.tsx'
import { EVERYONE, type UserSearch, usersQuery } from './users-query.ts'

interface UserListProps {
  readonly search: UserSearch
  onDialog(dialog: UserDialog): void
  onSearch(search: UserSearch): void
}

/** The users by filters, page by page. Without filters there is always at least one: the viewer. */
export function UserList({ search, onDialog, onSearch }: UserListProps) {
  const query = useInfiniteQuery(usersQuery(search))
  return (
    <div className="space-y-4">
      <UserFilters search={search} onChange={onSearch} count={countOf(query)} />
      <QueryView
        query={query}
        failed={t('users.failed')}
        loading={<SkeletonRows rows={5} className="h-16 rounded-lg" />}
      >
        {({ pages }) => {
          const users = pages.flatMap(({ items }) => items)
          if (users.length === 0)
            return (
              <Panel>
                <EmptyState
                  icon={SearchX}
                  title={t('users.none_found')}
                  actions={<Button onClick={() => onSearch(EVERYONE)}>{t('users.show_all')}</Button>}
                />
              </Panel>
            )
          return (
            <div className="space-y-3">
              <Panel>
                <ul aria-label={t('admin.users')} className="divide-line divide-y">
                  {users.map((user) => (
                    <UserRow key={user.user_id} user={user} onDialog={onDialog} />
                  ))}
                </ul>
              </Panel>
              {query.isFetchNextPageError && <ErrorNotice title={t('users.failed')} error={query.error} />}
              {query.hasNextPage && (
                <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  {t('users.more')}
                </Button>
              )}
            </div>
          )
        }}
      </QueryView>
    </div>
  )
}
