import { useQuery } from '@tanstack/react-query'
import { SlidersHorizontal } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { formatBytes } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { IsolationText } from '../overview/isolation-badge.tsx'
import { ModulePolicyDialog } from './module-policy-dialog.tsx'
import { modulePolicyQuery } from './module-queries.ts'

/** The rules for every installed bundle, what this machine supports, and a button to change the rules. */
export function ModulePolicySection() {
  const query = useQuery(modulePolicyQuery)
  const [editing, setEditing] = useState(false)
  return (
    <Section
      title={t('modules.policy')}
      actions={
        query.data !== undefined && (
          <Button size="sm" icon={SlidersHorizontal} onClick={() => setEditing(true)}>
            {t('modules.policy_change')}
          </Button>
        )
      }
    >
      <QueryView
        query={query}
        failed={t('modules.policy_failed')}
        loading={<SkeletonRows rows={1} className="h-40 rounded-lg" />}
      >
        {({ policy, isolation }) => (
          <>
            <Panel className="divide-line divide-y">
              <Fact name={t('modules.policy_trusted')}>{t(`modules.least_${policy.least_isolation.trusted}`)}</Fact>
              <Fact name={t('modules.policy_untrusted')}>{t(`modules.least_${policy.least_isolation.untrusted}`)}</Fact>
              <Fact name={t('modules.policy_memory')}>{formatBytes(policy.memory_mib * 1024 * 1024)}</Fact>
              <Fact name={t('modules.policy_signers')}>
                {policy.signers.length === 0
                  ? t('modules.policy_no_signers')
                  : policy.signers.map(({ fingerprint, name }) => (
                      <span key={fingerprint} className="block">
                        <span className="break-words">{name}</span>{' '}
                        <span className="text-muted font-mono text-xs break-all">{fingerprint}</span>
                      </span>
                    ))}
              </Fact>
              <Fact name={t('modules.policy_machine')}>
                <span className="block space-y-1.5">
                  {isolation.map((one) => (
                    <IsolationText key={one.level} isolation={one} />
                  ))}
                </span>
              </Fact>
            </Panel>
            {editing && <ModulePolicyDialog policy={policy} onClose={() => setEditing(false)} />}
          </>
        )}
      </QueryView>
    </Section>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <dl className="grid gap-x-6 gap-y-0.5 px-4 py-2.5 sm:grid-cols-[minmax(12rem,16rem)_1fr]">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </dl>
  )
}
