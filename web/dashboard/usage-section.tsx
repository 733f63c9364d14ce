import { lazy, Suspense } from 'react'
import { Link } from '@tanstack/react-router'
import type { Dashboard } from '../../contract/dashboard.ts'
import { t } from '../text/i18n.ts'
import { Panel } from '../parts/layout/panel.tsx'
import { Section } from '../parts/layout/section.tsx'
import { Skeleton } from '../parts/feedback/skeleton.tsx'
import { MeterList } from './meter-list.tsx'

const UsageChart = lazy(async () => ({ default: (await import('./usage-chart.tsx')).UsageChart }))

/** The user's own limits and how much of them is used; nothing without limits. */
export function UsageLimits({ usage: { day, month } }: { readonly usage: Dashboard['usage'] }) {
  const limited = [day, month].some((span) =>
    [span.messages, span.tokens, span.cost_micros].some(({ limit }) => limit !== null),
  )
  if (!limited) return null
  return (
    <Section title={t('dashboard.usage_mine')}>
      <Panel className="p-3">
        <MeterList day={day} month={month} />
      </Panel>
    </Section>
  )
}

/** A chart of the user's own AI usage or, for administrators, of all users. */
export function UsageSection({ usage: { days, of } }: { readonly usage: Dashboard['usage'] }) {
  return (
    <Section
      title={t(of === 'me' ? 'dashboard.usage_mine' : 'dashboard.usage_all')}
      actions={
        of === 'everybody' && (
          <Link
            to="/admin/$page"
            params={{ page: 'limits' }}
            className="text-accent font-medium underline-offset-2 hover:underline"
          >
            {t('dashboard.usage_more')}
          </Link>
        )
      }
    >
      <Suspense fallback={<Skeleton className="h-72 w-full rounded-lg" />}>
        <UsageChart days={days} count={30} />
      </Suspense>
    </Section>
  )
}
