import { type ComponentType, lazy, Suspense } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { elevationsQuery } from '../elevation/elevation-query.ts'
import { type MessageKey, t } from '../text/i18n.ts'
import { Page } from '../parts/layout/page.tsx'
import { PagePending } from '../parts/feedback/page-pending.tsx'
import { Tabs } from '../parts/controls/tabs.tsx'

interface Part {
  readonly id: string
  readonly label: MessageKey
  readonly Content: ComponentType
}

/** The tabs of the page in order; each loads separately. */
const PARTS: readonly Part[] = [
  {
    id: 'sign-in',
    label: 'account.sign_in',
    Content: lazy(async () => ({ default: (await import('../account/sign-in/sign-in-part.tsx')).SignInPart })),
  },
  {
    id: 'sessions',
    label: 'account.sessions',
    Content: lazy(async () => ({ default: (await import('../account/sessions/sessions-part.tsx')).SessionsPart })),
  },
  {
    id: 'tokens',
    label: 'account.tokens',
    Content: lazy(async () => ({ default: (await import('../account/tokens/tokens-part.tsx')).TokensPart })),
  },
  {
    id: 'connections',
    label: 'connections.title',
    Content: lazy(async () => ({
      default: (await import('../account/connections/connections-part.tsx')).ConnectionsPart,
    })),
  },
  {
    id: 'notifications',
    label: 'notices.title',
    Content: lazy(async () => ({
      default: (await import('../account/notifications/notifications-part.tsx')).NotificationsPart,
    })),
  },
  {
    id: 'preferences',
    label: 'preferences.title',
    Content: lazy(async () => ({ default: (await import('../account/preferences/preferences.tsx')).Preferences })),
  },
]

/** Only for those who can ask for another role, or have. */
const ELEVATION: Part = {
  id: 'role',
  label: 'elevation.title',
  Content: lazy(async () => ({ default: (await import('../elevation/own-requests.tsx')).OwnRequests })),
}

/** The signed-in user's own account. An unknown tab shows the first. */
export function AccountPage() {
  const { tab } = useSearch({ from: '/app/account' })
  const navigate = useNavigate()
  const elevations = useQuery(elevationsQuery).data
  const may = elevations !== undefined && (elevations.roles.length > 0 || elevations.items.some(({ own }) => own))
  const tabs = [...PARTS, ...(may ? [ELEVATION] : [])].map(({ id, label, Content }) => ({
    id,
    label: t(label),
    content: () => (
      <Suspense fallback={<PagePending />}>
        <Content />
      </Suspense>
    ),
  }))
  return (
    <Page title={t('account.title')}>
      <Tabs
        label={t('account.parts')}
        tabs={tabs}
        selected={tabs.find(({ id }) => id === tab)?.id ?? tabs[0]?.id ?? ''}
        onSelect={(id) => void navigate({ to: '/account', search: { tab: id }, replace: true })}
      />
    </Page>
  )
}
