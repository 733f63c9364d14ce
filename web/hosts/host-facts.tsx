import { Link } from '@tanstack/react-router'
import { CopyButton } from '../parts/controls/copy-button.tsx'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { ModuleFacts } from '../parts/layout/module-facts.tsx'
import { Section } from '../parts/layout/section.tsx'
import { formatDate, formatDuration, formatNumber } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { isLocal, placeOf } from './find-hosts.ts'
import { HostHelper } from './reeve-op-state.tsx'
import type { Host } from './hosts-query.ts'

/** A clock that is off by less is not worth a word: half of a slow round trip. */
const CLOCK_TOLERANCE = 2000

/** What a machine is, and how Reeve gets to it. */
export function HostFacts({ host, hosts }: { readonly host: Host; readonly hosts: readonly Host[] }) {
  const { facts } = host
  const jump = hosts.find(({ host_id }) => host_id === host.jump_host_id)
  return (
    <div className="grid gap-5 lg:grid-cols-2 lg:items-start">
      {facts !== null && (
        <Section title={t('hosts.system')}>
          <ModuleFacts
            facts={[
              [t('hosts.system'), facts.system],
              [t('hosts.fact_kernel'), facts.kernel],
              [t('hosts.fact_host_name'), facts.host_name],
              [t('hosts.fact_cores'), facts.cores === null ? null : formatNumber(facts.cores)],
              [t('hosts.fact_init'), facts.init === 'other' ? t('hosts.init_other') : facts.init],
              [t('hosts.fact_packages'), facts.package_manager],
              [t('hosts.fact_elevation'), facts.elevation ?? t('hosts.elevation_none')],
              [t('hosts.fact_tools'), facts.busybox ? 'BusyBox' : null],
              [t('hosts.fact_clock'), clockText(facts.clock_offset_ms)],
              [t('hosts.fact_time_zone'), facts.time_zone],
            ]}
          />
        </Section>
      )}
      <div className="min-w-0 space-y-5">
        <Section title={t('hosts.connection')}>
          <ModuleFacts
            facts={[
              [t('hosts.checked'), isLocal(host) ? null : checkedAt(host)],
              [t('hosts.latency'), host.latency_ms === null ? null : formatDuration(host.latency_ms)],
              [t('hosts.address'), placeOf(host)],
              [t('hosts.account'), isLocal(host) ? (facts?.account ?? null) : host.account],
              [t('hosts.jump'), jump === undefined ? null : <HostLink key="jump" host={jump} />],
              [t('hosts.pinned'), host.pinned === null ? null : <PinnedKey key="pinned" pinned={host.pinned} />],
            ]}
          />
        </Section>
        {host.helper && <HostHelper host={host} helper={host.helper} />}
      </div>
    </div>
  )
}

function checkedAt({ checked_at }: Host) {
  return checked_at === null ? t('hosts.never') : <RelativeTime at={checked_at} />
}

function clockText(offset: number): string {
  if (Math.abs(offset) < CLOCK_TOLERANCE) return t('hosts.clock_right')
  const off = formatDuration(Math.abs(offset))
  return t(offset > 0 ? 'hosts.clock_ahead' : 'hosts.clock_behind', { off })
}

function HostLink({ host: { host_id, name } }: { readonly host: Host }) {
  return (
    <Link
      to="/admin/$page"
      params={{ page: 'hosts' }}
      search={{ host: host_id }}
      className="text-accent underline underline-offset-2"
    >
      {name}
    </Link>
  )
}

function PinnedKey({ pinned }: { readonly pinned: NonNullable<Host['pinned']> }) {
  return (
    <>
      <span className="flex items-start gap-2">
        <code className="min-w-0 flex-1 text-sm break-all">{pinned.fingerprint}</code>
        <CopyButton text={pinned.fingerprint} label={t('certificates.copy_fingerprint')} />
      </span>
      <span className="text-muted text-sm">
        {t('hosts.pinned_by', { algorithm: pinned.algorithm, date: formatDate(pinned.at), name: pinned.by })}
      </span>
    </>
  )
}
