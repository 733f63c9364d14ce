import { useQuery } from '@tanstack/react-query'
import { ShieldX } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../text/i18n.ts'
import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { Page } from '../parts/layout/page.tsx'
import { sessionQuery } from '../client/queries.ts'

/** Renders a page for administrators; everyone else is told that it is not available to them. */
export function AdminsOnly({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const session = useQuery(sessionQuery)
  if (session.data === undefined) return null
  if (session.data.user.admin) return children
  return (
    <Page title={title}>
      <EmptyState
        icon={ShieldX}
        title={t('refused.admins_only', { page: title })}
        text={t('refused.admins_only_text')}
      />
    </Page>
  )
}
