import { useQuery } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import type { Quota } from '../../../contract/usage.ts'
import { formatCost } from '../../dashboard/format-cost.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { quotasQuery } from './limits-query.ts'
import { KINDS } from './quota-draft.ts'
import { QuotaDialog, type RoleQuota } from './quota-dialog.tsx'

/** Every role with its limits. */
export function RoleQuotas() {
  const query = useQuery(quotasQuery)
  const [editing, setEditing] = useState<RoleQuota | null>(null)
  const [engineId, setEngineId] = useState('')
  return (
    <Section title={t('limits.roles')}>
      <p className="text-muted mb-3">{t('limits.roles_text')}</p>
      <QueryView
        query={query}
        failed={t('limits.load_failed')}
        loading={<SkeletonRows rows={2} className="h-16 rounded-lg" />}
      >
        {({ items, engines, priced }) => (
          <>
            {engines.length > 1 && (
              <SelectField
                label={t('limits.engine')}
                value={engineId}
                onChange={setEngineId}
                options={[
                  { value: '', label: t('limits.engines_all') },
                  ...engines.map(({ engine_id, name }) => ({ value: engine_id, label: name })),
                ]}
                hint={t('limits.engine_hint')}
                className="mb-4 max-w-80"
              />
            )}
            <Panel>
              <ul className="divide-line divide-y">
                {items
                  .map((item) => ofEngine(item, engineId))
                  .map((item) => (
                    <li key={item.role_id} className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3">
                      <div className="min-w-0 flex-1 basis-56">
                        <p>
                          <span className="font-medium break-words">{item.role}</span>{' '}
                          <span className="text-muted text-sm">{t('limits.users', { count: item.users })}</span>
                        </p>
                        <QuotaText quota={item.quota} />
                      </div>
                      <Button size="sm" icon={Pencil} onClick={() => setEditing(item)}>
                        {t('limits.change')}
                        <span className="sr-only"> {item.role}</span>
                      </Button>
                    </li>
                  ))}
              </ul>
            </Panel>
            {editing !== null && (
              <QuotaDialog role={editing} engineId={engineId} priced={priced} onClose={() => setEditing(null)} />
            )}
          </>
        )}
      </QueryView>
    </Section>
  )
}

const UNLIMITED = { messages: null, tokens: null, cost_micros: null }

/** The role with its limits for one engine; '': for all of them together. */
function ofEngine(role: RoleQuota, engineId: string): RoleQuota {
  if (engineId === '') return role
  const own = role.engines.find(({ engine_id }) => engine_id === engineId)
  return { ...role, quota: own?.quota ?? { day: UNLIMITED, month: UNLIMITED } }
}

function QuotaText({ quota }: { readonly quota: Quota }) {
  const lines = (['day', 'month'] as const).flatMap((span) =>
    KINDS.flatMap((kind) => {
      const limit = quota[span][kind] ?? null
      if (limit === null) return []
      return [
        kind === 'cost_micros'
          ? t(`limits.${span}_cost_micros`, { amount: formatCost(limit) })
          : t(`limits.${span}_${kind}`, { count: limit }),
      ]
    }),
  )
  return (
    <p className="text-muted tabular mt-0.5 text-sm">{lines.length === 0 ? t('limits.none') : lines.join(' · ')}</p>
  )
}
