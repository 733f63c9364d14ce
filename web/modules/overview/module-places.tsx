import type { ModuleDetail } from '../../../contract/modules.ts'
import { formatBytes, formatDateTime } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { ModuleFacts } from '../../parts/layout/module-facts.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { ModuleInstances } from '../settings/module-instances.tsx'

interface ModulePlacesProps {
  readonly module: ModuleDetail
  readonly runs: NonNullable<ModuleDetail['runs']>
}

/** Where a module runs when several processes share an installation, and what another one would go on with. */
export function ModulePlaces({ module, runs }: ModulePlacesProps) {
  const { instances, owner, data } = runs
  return (
    <Section title={t('modules.places')}>
      <ModuleFacts
        facts={[
          [t('modules.instances'), <ModuleInstances key="instances" module={module} runs={runs} />],
          [t('modules.owner'), instances === 'singleton' && module.enabled ? ownerText(owner) : null],
          [t('modules.data_kept'), data && <KeptData key="data" data={data} />],
        ]}
      />
    </Section>
  )
}

function ownerText(owner: ModulePlacesProps['runs']['owner']): string {
  if (owner === null) return t('modules.owner_none')
  return t('modules.owner_since', { host: owner.host, when: formatDateTime(owner.since) })
}

function KeptData({ data }: { readonly data: NonNullable<ModulePlacesProps['runs']['data']> }) {
  return (
    <div className="space-y-1">
      <p>
        {data.kept_at === null
          ? t('modules.data_not_kept')
          : t('modules.data_kept_at', { when: formatDateTime(data.kept_at), size: formatBytes(data.size ?? 0) })}
      </p>
      {data.problem !== null && <p className="text-warn text-sm">{data.problem}</p>}
    </div>
  )
}
