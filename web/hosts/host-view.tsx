import { ArrowLeft, Pencil, Power, PowerOff, RefreshCw, ScrollText, Tags, Trash2 } from 'lucide-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../client/api.ts'
import { Button } from '../parts/controls/button.tsx'
import type { MenuEntry } from '../parts/controls/menu.tsx'
import { Badge } from '../parts/feedback/badge.tsx'
import { Section } from '../parts/layout/section.tsx'
import { t } from '../text/i18n.ts'
import { conditionOf, type HostCondition, isLocal, placeOf } from './find-hosts.ts'
import { HostDialog } from './host-dialog.tsx'
import { HostFacts } from './host-facts.tsx'
import { HostMenu } from './host-menu.tsx'
import { HostRepair } from './host-repair.tsx'
import { HostStatus } from './host-status.tsx'
import type { Host } from './hosts-query.ts'
import { SetupScript } from './setup-script.tsx'
import { RemoveHostDialog } from './remove-host-dialog.tsx'
import { TagsDialog } from './tags-dialog.tsx'
import { useHostChange } from './use-host-change.ts'
import { HostTabs } from './tasks/host-tabs.tsx'
import { HostOperations, StartedOperations } from './tasks/operations.tsx'

/** Where it is no part of what is to be done anyway. */
const SCRIPT_BELOW: readonly HostCondition[] = ['ok', 'unchecked', 'unreachable']

interface HostViewProps {
  readonly host: Host
  readonly hosts: readonly Host[]
}

/** One machine: how it is, what to do if that isn't well, and what is known about it. */
export function HostView({ host, hosts }: HostViewProps) {
  const [dialog, setDialog] = useState<'edit' | 'tags' | 'remove' | null>(null)
  const check = useHostChange({ told: true })
  const change = useHostChange({ told: true })
  const navigate = useNavigate()
  const params = { host_id: host.host_id }
  const local = isLocal(host)
  const name = local ? t('audit.host_this') : host.name
  const onCheck = (): void => check.mutate({ run: () => call('POST /api/admin/hosts/{host_id}/check', { params }) })
  const switchTo = (disabled: boolean): void =>
    change.mutate({
      run: () => call('PATCH /api/admin/hosts/{host_id}', { params, body: { disabled } }),
      done: t(disabled ? 'hosts.disabled_done' : 'hosts.enabled_done', { name }),
    })
  const entries: readonly MenuEntry[] = [
    { label: t('hosts.edit'), icon: Pencil, onSelect: () => setDialog('edit') },
    {
      label: t('users.show_audit'),
      icon: ScrollText,
      onSelect: () => void navigate({ to: '/admin/$page', params: { page: 'audit' }, search: { target: host.name } }),
    },
    'separator',
    host.disabled
      ? { label: t('users.enable'), icon: Power, onSelect: () => switchTo(false) }
      : { label: t('users.disable'), icon: PowerOff, onSelect: () => switchTo(true) },
    { label: t('hosts.remove'), icon: Trash2, danger: true, onSelect: () => setDialog('remove') },
  ]
  const reachable = local || (!host.disabled && host.pinned !== null)
  return (
    <HostOperations host={host}>
      <div className="space-y-5">
        <div>
          <Link
            to="/admin/$page"
            params={{ page: 'hosts' }}
            className="text-muted hover:text-ink mb-2 inline-flex min-h-7 items-center gap-1.5 text-sm"
          >
            <ArrowLeft aria-hidden className="size-3.5" />
            {t('hosts.back')}
          </Link>
          <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
            <div className="min-w-0 flex-1 basis-60">
              <h2 className="text-lg font-semibold break-all">{name}</h2>
              <p className="text-muted flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
                <HostStatus host={host} checking={check.isPending} />
                {!local && <span className="break-all">{placeOf(host)}</span>}
                {host.tags.map((tag) => (
                  <Badge key={tag}>#{tag}</Badge>
                ))}
              </p>
            </div>
            <div className="flex items-center gap-2">
              {!host.disabled && host.pinned !== null && (
                <Button icon={RefreshCw} busy={check.isPending} onClick={onCheck}>
                  {t('hosts.check')}
                </Button>
              )}
              {local && (
                <Button icon={Tags} onClick={() => setDialog('tags')}>
                  {t('hosts.tags_edit')}
                </Button>
              )}
              <HostMenu name={name} reachable={reachable} entries={local ? [] : entries} />
            </div>
          </div>
        </div>
        {!local && <HostRepair host={host} hosts={hosts} onEnable={() => switchTo(false)} />}
        <StartedOperations host={host} />
        <HostTabs
          host={host}
          reachable={reachable}
          overview={() => (
            <div className="space-y-5">
              <HostFacts host={host} hosts={hosts} />
              {SCRIPT_BELOW.includes(conditionOf(host)) && !local && (
                <Section title={t('hosts.script')}>
                  <p className="text-muted mb-3 max-w-prose">{t('hosts.script_again')}</p>
                  <SetupScript host={host} />
                </Section>
              )}
            </div>
          )}
        />
        {dialog === 'edit' && (
          <HostDialog host={host} hosts={hosts} onClose={() => setDialog(null)} onSaved={() => setDialog(null)} />
        )}
        {dialog === 'tags' && <TagsDialog host={host} onClose={() => setDialog(null)} />}
        {dialog === 'remove' && <RemoveHostDialog host={host} hosts={hosts} onClose={() => setDialog(null)} />}
      </div>
    </HostOperations>
  )
}
