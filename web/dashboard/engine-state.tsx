import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatNumber } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { Panel } from '../parts/layout/panel.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { Section } from '../parts/layout/section.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { Status } from '../parts/feedback/status.tsx'
import { sessionQuery, toolsQuery } from '../client/queries.ts'

/** The engine that answers, and the tools the user may use. */
export function EngineState() {
  const query = useQuery(toolsQuery)
  const admin = useQuery(sessionQuery).data?.user.admin === true
  return (
    <Section title={t('dashboard.engine')}>
      <QueryView
        query={query}
        failed={t('dashboard.engine_failed')}
        loading={<SkeletonRows rows={1} className="h-32" />}
      >
        {({ ai_mode: mode, model, items }) => (
          <Panel className="divide-line divide-y">
            <div className="px-4 py-3">
              <Status
                tone={mode === 'model' ? 'ok' : 'info'}
                label={t(mode === 'model' ? 'dashboard.engine_model' : 'dashboard.engine_direct')}
              />
              {mode === 'direct' && (
                <p className="text-muted mt-1.5 text-sm">
                  {t(admin ? 'dashboard.engine_direct_admin' : 'dashboard.engine_direct_text')}
                </p>
              )}
              {admin && (
                <Link
                  to="/admin/$page"
                  params={{ page: 'ai' }}
                  className="text-accent mt-1.5 block w-fit text-sm font-medium underline-offset-2 hover:underline"
                >
                  {t(mode === 'direct' ? 'dashboard.engine_set' : 'dashboard.engine_change')}
                </Link>
              )}
            </div>
            <dl className="divide-line divide-y">
              {model !== null && <Fact name={t('dashboard.model')} value={model} mono />}
              <Fact
                name={t('dashboard.tools')}
                value={formatNumber(items.length)}
                note={t('dashboard.tools_asking', { count: items.filter((tool) => tool.policy === 'ask').length })}
              />
            </dl>
          </Panel>
        )}
      </QueryView>
    </Section>
  )
}

function Fact({ name, value, note, mono }: { name: string; value: string; note?: string; mono?: boolean }) {
  return (
    <div className="px-4 py-2.5">
      <dt className="text-muted text-sm">{name}</dt>
      <dd className={mono ? 'font-mono text-sm break-words' : 'tabular'}>
        {value}
        {note !== undefined && <span className="text-muted text-sm"> · {note}</span>}
      </dd>
    </div>
  )
}
