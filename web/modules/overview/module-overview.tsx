import type { ModuleDetail } from '../../../contract/modules.ts'
import { formatDateTime, formatDuration, formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Section } from '../../parts/layout/section.tsx'
import { GrantsText } from '../review/grants-text.tsx'
import { IsolationText } from './isolation-badge.tsx'
import { LaunchCommand } from '../review/launch-command.tsx'
import { MemoryLimit } from '../settings/memory-limit.tsx'
import { ModuleFacts } from '../../parts/layout/module-facts.tsx'
import { ModulePlaces } from './module-places.tsx'
import { ModuleText } from './module-text.tsx'
import { OutsideLink } from '../../parts/layout/outside-link.tsx'
import { SignatureState } from '../review/signature-state.tsx'

/** A module's description, command and current access. */
export function ModuleOverview({ module }: { readonly module: ModuleDetail }) {
  const { review } = module
  const text = module.long_description === '' ? module.description : module.long_description
  return (
    <div className="space-y-8">
      {text !== '' && (
        <Section title={t('modules.description')}>
          <div className="max-w-prose break-words">
            <ModuleText text={text} />
          </div>
        </Section>
      )}
      <Section title={t('modules.safety')}>
        <ModuleFacts
          facts={[
            [t('modules.isolation'), <IsolationText key="isolation" isolation={module.isolation} />],
            [t('modules.memory'), module.memory && <MemoryLimit key="memory" module={module} memory={module.memory} />],
            [t('modules.may_reach'), module.kind === 'bundle' ? <GrantsText grants={module.grants} /> : null],
            [t('modules.signature'), review && <SignatureState signature={review.signature} />],
            [t('modules.runs'), review && <LaunchCommand command={review.command} args={review.args} />],
            [t('modules.address'), module.url],
          ]}
        />
      </Section>
      {module.runs && <ModulePlaces module={module} runs={module.runs} />}
      <Section title={t('modules.about')}>
        <ModuleFacts
          facts={[
            [t('modules.name'), <code key="name">{module.name}</code>],
            [t('modules.version'), module.version],
            [t('modules.kind'), t(`modules.kind_${module.kind}`)],
            [t('modules.author'), module.author],
            [t('modules.license'), module.license],
            [t('modules.homepage'), module.homepage && <OutsideLink href={module.homepage} />],
            [t('modules.documentation'), module.documentation && <OutsideLink href={module.documentation} />],
            [t('modules.installed_at'), module.installed_at && formatDateTime(module.installed_at)],
            [t('modules.uptime'), module.uptime_ms === null ? null : formatDuration(module.uptime_ms)],
            [t('modules.restarts'), module.restarts === 0 ? null : formatNumber(module.restarts)],
          ]}
        />
      </Section>
    </div>
  )
}
