import { ShieldCheck, ShieldOff, ShieldQuestion } from 'lucide-react'
import { Notice } from '../parts/feedback/notice.tsx'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { Status } from '../parts/feedback/status.tsx'
import { ModuleFacts } from '../parts/layout/module-facts.tsx'
import { Section } from '../parts/layout/section.tsx'
import { t } from '../text/i18n.ts'
import { isLocal } from './find-hosts.ts'
import type { Host } from './hosts-query.ts'

type Helper = NonNullable<Host['helper']>

const LOOK = {
  ok: { tone: 'ok', icon: ShieldCheck },
  different: { tone: 'warn', icon: ShieldQuestion },
  refused: { tone: 'warn', icon: ShieldQuestion },
  missing: { tone: 'neutral', icon: ShieldOff },
} as const

/** How reeve-op of a machine stands, in a few words. */
export function HelperStatus({ helper }: { readonly helper: Helper }) {
  return <Status {...LOOK[helper.state]} label={t(`hosts.helper_${helper.state}`)} />
}

/** Reeve's program for what only root may do there: how it stands, what it may do, and how to put it right. */
export function HostHelper({ host, helper }: { readonly host: Host; readonly helper: Helper }) {
  const { state, problem, allows, checked_at } = helper
  const answers = state === 'ok' || state === 'different'
  return (
    <Section title={t('hosts.helper')}>
      <div className="space-y-3">
        <div>
          <HelperStatus helper={helper} />
          <p className="text-muted mt-1 max-w-prose">{t(`hosts.helper_why_${state}`)}</p>
        </div>
        <ModuleFacts
          facts={[
            [t('hosts.helper_said'), problem === null ? null : <span className="break-words">{problem}</span>],
            [t('hosts.helper_allows'), answers ? <Allowed key="allows" allows={allows} /> : null],
            [t('hosts.checked'), checked_at === null ? null : <RelativeTime key="checked" at={checked_at} />],
          ]}
        />
        {answers && allows.some(isRoot) && <Notice tone="warn">{t('hosts.helper_root')}</Notice>}
        {state !== 'ok' && (
          <p className="max-w-prose">{t(isLocal(host) ? 'hosts.helper_fix_local' : 'hosts.helper_fix_remote')}</p>
        )}
      </div>
    </Section>
  )
}

function Allowed({ allows }: { readonly allows: readonly string[] }) {
  if (allows.length === 0) return t('hosts.helper_nothing')
  return (
    <ul className="space-y-0.5">
      {allows.map((line, at) => (
        <li key={at}>
          <code className="text-sm break-all">{line}</code>
        </li>
      ))}
    </ul>
  )
}

/** Any command; several words of a line may come before it. */
function isRoot(line: string): boolean {
  return /^(?:journal |power )*command(?: |$)/.test(line)
}
