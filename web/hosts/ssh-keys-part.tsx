import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../client/api.ts'
import { Button } from '../parts/controls/button.tsx'
import { CopyButton } from '../parts/controls/copy-button.tsx'
import { Badge } from '../parts/feedback/badge.tsx'
import { Notice } from '../parts/feedback/notice.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { ConfirmDialog } from '../parts/layout/confirm-dialog.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Section } from '../parts/layout/section.tsx'
import { formatDate } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { SetupScript } from './setup-script.tsx'
import { type SshKey, sshKeysQuery } from './hosts-query.ts'
import { useHostChange } from './use-host-change.ts'

/** The key with which Reeve signs in to machines, and changing it. */
export function SshKeysPart() {
  const query = useQuery(sshKeysQuery)
  const [asking, setAsking] = useState<'begin' | 'end' | null>(null)
  const change = useHostChange({ told: true })
  const onChange = (step: 'begin' | 'end'): void =>
    change.mutate({ run: () => call('POST /api/admin/ssh-key', { body: { change: step } }) })
  const changing = query.data !== undefined && query.data.items.length > 1
  return (
    <Section
      title={t('hosts.ssh_key')}
      actions={
        query.data !== undefined &&
        !changing && (
          <Button size="sm" busy={change.isPending} onClick={() => setAsking('begin')}>
            {t('hosts.ssh_change')}
          </Button>
        )
      }
    >
      <QueryView query={query} failed={t('hosts.ssh_failed')} loading={<SkeletonRows rows={1} className="h-16" />}>
        {({ items }) => (
          <div className="space-y-3">
            <Panel>
              <ul className="divide-line divide-y">
                {items.map((key) => (
                  <KeyRow key={key.key_id} ssh={key} changing={changing} />
                ))}
              </ul>
            </Panel>
            {changing && (
              <Notice
                tone="info"
                title={t('hosts.ssh_changing')}
                actions={
                  <Button size="sm" busy={change.isPending} onClick={() => setAsking('end')}>
                    {t('hosts.ssh_end')}
                  </Button>
                }
              >
                <p className="mb-3 max-w-prose">{t('hosts.ssh_changing_text')}</p>
                <SetupScript host={null} />
              </Notice>
            )}
          </div>
        )}
      </QueryView>
      {asking !== null && (
        <ConfirmDialog
          title={t(asking === 'begin' ? 'hosts.ssh_change_title' : 'hosts.ssh_end_title')}
          text={t(asking === 'begin' ? 'hosts.ssh_change_text' : 'hosts.ssh_end_text')}
          verb={t(asking === 'begin' ? 'hosts.ssh_change' : 'hosts.ssh_end')}
          danger={asking === 'end'}
          onConfirm={() => onChange(asking)}
          onClose={() => setAsking(null)}
        />
      )}
    </Section>
  )
}

function KeyRow({ ssh, changing }: { readonly ssh: SshKey; readonly changing: boolean }) {
  return (
    <li className="flex items-start gap-2 px-4 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="text-sm">
          <code className="break-all">{ssh.fingerprint}</code>
          {changing && (
            <Badge tone={ssh.newest ? 'active' : 'neutral'} className="ms-2">
              {t(ssh.newest ? 'hosts.ssh_new' : 'hosts.ssh_old')}
            </Badge>
          )}
        </p>
        <p className="text-muted text-sm">{t('hosts.ssh_since', { date: formatDate(ssh.created_at) })}</p>
      </div>
      <CopyButton text={ssh.public_key} label={t('hosts.ssh_copy')} />
    </li>
  )
}
