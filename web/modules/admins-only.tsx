import { useQuery } from '@tanstack/react-query'
import { ShieldX } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../i18n.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Page } from '../parts/page.tsx'
import { sessionQuery } from '../queries.ts'

/** The page for administrators; everybody else reads that it is for them. */
export function AdminsOnly({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const session = useQuery(sessionQuery)
  if (session.data === undefined) return null
  if (session.data.user.admin) return children
  return (
    <Page title={title}>
      <EmptyState icon={ShieldX} title={t('modules.refused_title')} text={t('modules.refused_text')} />
    </Page>
  )
}
