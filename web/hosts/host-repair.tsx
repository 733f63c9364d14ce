import { Power } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Notice } from '../parts/feedback/notice.tsx'
import { t } from '../text/i18n.ts'
import { conditionOf, placeOf } from './find-hosts.ts'
import type { Host } from './hosts-query.ts'
import { KeyChanged } from './key-changed.tsx'
import { SetupScript } from './setup-script.tsx'
import { SetupSteps } from './setup-steps.tsx'

interface HostRepairProps {
  readonly host: Host
  readonly hosts: readonly Host[]
  onEnable(): void
}

/** What is wrong with a machine, and how to put it right; nothing for one that is well. */
export function HostRepair({ host, hosts, onEnable }: HostRepairProps) {
  const condition = conditionOf(host)
  switch (condition) {
    case 'ok':
    case 'unchecked':
      return null
    case 'disabled':
      return (
        <Notice
          tone="neutral"
          title={t('hosts.disabled_title')}
          actions={
            <Button size="sm" icon={Power} onClick={onEnable}>
              {t('users.enable')}
            </Button>
          }
        >
          {t('hosts.disabled_text')}
        </Notice>
      )
    case 'key_unknown':
      return <SetupSteps host={host} />
    case 'key_changed':
      // What was compared is this one key.
      return <KeyChanged key={host.offered?.fingerprint} host={host} />
    case 'unreachable': {
      const jump = hosts.find(({ host_id }) => host_id === host.jump_host_id)
      return (
        <Notice tone="danger" title={t('hosts.unreachable_title', { place: placeOf(host) })}>
          <Said by={host.problem} />
          <Advice>
            <li>{t('hosts.unreachable_on')}</li>
            <li>{t('hosts.unreachable_address')}</li>
            <li>{t('hosts.unreachable_firewall', { port: host.port ?? 22 })}</li>
            {jump !== undefined && <li>{t('hosts.unreachable_jump', { name: jump.name })}</li>}
          </Advice>
        </Notice>
      )
    }
    case 'sign_in_refused':
      return (
        <Notice tone="warn" title={t('hosts.refused_title', { account: host.account ?? '' })}>
          <Said by={host.problem} />
          <Advice>
            <li>{t('hosts.refused_script')}</li>
            <li>{t('hosts.refused_from')}</li>
            <li>{t('hosts.refused_log')}</li>
          </Advice>
          <div className="mt-3">
            <SetupScript host={host} />
          </div>
        </Notice>
      )
  }
}

function Said({ by: text }: { readonly by: string | null }) {
  return text !== null && <p className="text-muted mt-0.5 font-mono text-sm break-words">{text}</p>
}

function Advice({ children }: { readonly children: ReactNode }) {
  return <ul className="mt-2 list-disc space-y-1 ps-5">{children}</ul>
}
