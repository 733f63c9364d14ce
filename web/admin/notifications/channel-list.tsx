import { Ellipsis, Pencil, Plus, Radio, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../client/api.ts'
import { Button } from '../../parts/controls/button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { Menu } from '../../parts/controls/menu.tsx'
import { Badge } from '../../parts/feedback/badge.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { RelativeTime } from '../../parts/feedback/relative-time.tsx'
import { Status } from '../../parts/feedback/status.tsx'
import { ConfirmDialog } from '../../parts/layout/confirm-dialog.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { t } from '../../text/i18n.ts'
import { ChannelDialog, kindName } from './channel-dialog.tsx'
import type { Channel } from './channel-draft.ts'
import { useNotificationChange } from './channels-query.ts'
import { TestDialog } from './test-dialog.tsx'

/** The mail server and the webhooks, with what went wrong last. */
export function ChannelList({ channels }: { readonly channels: readonly Channel[] }) {
  const [adding, setAdding] = useState(false)
  const add = (
    <Button
      icon={Plus}
      size={channels.length === 0 ? 'md' : 'sm'}
      variant={channels.length === 0 ? 'primary' : 'secondary'}
      onClick={() => setAdding(true)}
    >
      {t('channels.add')}
    </Button>
  )
  return (
    <Section title={t('channels.title')} actions={channels.length > 0 && add}>
      <Panel>
        {channels.length === 0 ? (
          <EmptyState level={3} icon={Radio} title={t('channels.none')} text={t('channels.none_text')} actions={add} />
        ) : (
          <ul className="divide-line divide-y">
            {channels.map((channel) => (
              <ChannelRow key={channel.channel_id} channel={channel} />
            ))}
          </ul>
        )}
      </Panel>
      {adding && (
        <ChannelDialog
          channel={null}
          hasServer={channels.some(({ kind }) => kind === 'smtp')}
          onClose={() => setAdding(false)}
        />
      )}
    </Section>
  )
}

function ChannelRow({ channel }: { readonly channel: Channel }) {
  const { channel_id, name, kind, address, problem, problem_at, sent_at, enabled, internal } = channel
  const [open, setOpen] = useState<'edit' | 'test' | 'remove' | null>(null)
  const change = useNotificationChange({ told: true })
  const close = (): void => setOpen(null)
  const entries = [
    { label: t('channels.change'), icon: Pencil, onSelect: () => setOpen('edit') },
    { label: t('channels.remove'), icon: Trash2, danger: true, onSelect: () => setOpen('remove') },
  ]
  return (
    <li className="flex items-start gap-3 px-4 py-3">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium break-words">{name}</span>
          <Badge>{kindName(kind)}</Badge>
          {internal && <Badge tone="info">{t('channels.is_internal')}</Badge>}
          {!enabled && <Badge tone="warn">{t('channels.is_off')}</Badge>}
        </p>
        <p className="text-muted mt-0.5 font-mono text-sm break-all">{address}</p>
        <div className="mt-1 text-sm">
          {problem !== null ? (
            <>
              <Status tone="danger" label={t('channels.failed')} />{' '}
              {problem_at !== null && <RelativeTime at={problem_at} className="text-muted" />}
              <p className="text-muted break-words">{problem}</p>
            </>
          ) : sent_at === null ? (
            <span className="text-muted">{t('channels.never_sent')}</span>
          ) : (
            <>
              <Status tone="ok" label={t('channels.arrived')} /> <RelativeTime at={sent_at} className="text-muted" />
            </>
          )}
        </div>
      </div>
      <Button size="sm" icon={Send} onClick={() => setOpen('test')}>
        {t('channels.test')}
        <span className="sr-only"> {name}</span>
      </Button>
      <Menu
        trigger={<IconButton label={t('channels.menu', { name })} icon={Ellipsis} size="sm" />}
        entries={entries}
        align="end"
      />
      {open === 'edit' && <ChannelDialog channel={channel} hasServer onClose={close} />}
      {open === 'test' && <TestDialog channel={channel} onClose={close} />}
      {open === 'remove' && (
        <ConfirmDialog
          title={t('channels.remove_title', { name })}
          text={t('channels.remove_text')}
          verb={t('channels.remove')}
          danger
          onConfirm={() =>
            change.mutate({ run: () => call('DELETE /api/admin/channels/{channel_id}', { params: { channel_id } }) })
          }
          onClose={close}
        />
      )}
    </li>
  )
}
