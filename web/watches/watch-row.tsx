import { Ellipsis, History, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../client/api.ts'
import { Button } from '../parts/controls/button.tsx'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { Menu } from '../parts/controls/menu.tsx'
import { Badge } from '../parts/feedback/badge.tsx'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { Status } from '../parts/feedback/status.tsx'
import type { Tone } from '../parts/feedback/tone.ts'
import { ConfirmDialog } from '../parts/layout/confirm-dialog.tsx'
import { t } from '../text/i18n.ts'
import { SubjectList } from './subject-list.tsx'
import { WatchDialog } from './watch-dialog.tsx'
import { WatchHistory } from './watch-history.tsx'
import { conditionText, machinesText, nothingText, watchName } from './watch-words.ts'
import { useWatchChange, type Watch } from './watches-query.ts'

interface WatchRowProps {
  readonly watch: Watch
  readonly nameOf: (host_id: string) => string
  /** Where a message has led to. */
  readonly wanted: boolean
}

/** A watch with its state, what it last saw, and one click to switch it off. */
export function WatchRow({ watch, nameOf, wanted }: WatchRowProps) {
  const { watch_id, enabled, preset, shared, looked_at, problem, subjects, counts } = watch
  const [open, setOpen] = useState<'edit' | 'history' | 'remove' | null>(wanted ? 'history' : null)
  const change = useWatchChange({ told: true })
  const name = watchName(watch)
  const close = (): void => setOpen(null)
  const params = { watch_id }
  const toggle = (): void =>
    change.mutate({ run: () => call('PATCH /api/watches/{watch_id}', { params, body: { enabled: !enabled } }) })
  const entries = [
    { label: t('watches.change'), icon: Pencil, onSelect: () => setOpen('edit') },
    ...(preset === null
      ? [{ label: t('watches.remove'), icon: Trash2, danger: true, onSelect: () => setOpen('remove') }]
      : []),
  ]
  const where = machinesText(watch, nameOf)
  return (
    <li className="px-4 py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="font-medium break-words">{name}</span>
            {shared && preset === null && <Badge>{t('watches.shared')}</Badge>}
          </p>
          <p className="text-muted text-sm break-words">
            {conditionText(watch)}
            {where !== '' && ` · ${where}`}
          </p>
          <p className="mt-1 flex flex-wrap items-center gap-x-2 text-sm">
            <WatchState watch={watch} />
            {enabled && looked_at !== null && (
              <span className="text-muted">
                {t('watches.looked')} <RelativeTime at={looked_at} />
              </span>
            )}
          </p>
        </div>
        <div className="flex items-center gap-1">
          <Button size="sm" busy={change.isPending} onClick={toggle}>
            {t(enabled ? 'watches.switch_off' : 'watches.switch_on')}
            <span className="sr-only"> {name}</span>
          </Button>
          <IconButton
            label={t('watches.history_of', { name })}
            icon={History}
            size="sm"
            onClick={() => setOpen('history')}
          />
          <Menu
            trigger={<IconButton label={t('watches.menu', { name })} icon={Ellipsis} size="sm" />}
            entries={entries}
            align="end"
          />
        </div>
      </div>
      {enabled && problem !== null && <p className="text-warn mt-1 text-sm break-words">{problem}</p>}
      {isOfNothing(watch) && <p className="text-muted mt-1 text-sm break-words">{nothingText(watch.source)}</p>}
      {enabled && subjects.length > 0 && <SubjectList watch={watch} more={counts.all - subjects.length} />}
      {open === 'edit' && <WatchDialog watch={watch} onClose={close} />}
      {open === 'history' && <WatchHistory watch={watch} onClose={close} />}
      {open === 'remove' && (
        <ConfirmDialog
          title={t('watches.remove_title', { name })}
          text={t('watches.remove_text')}
          verb={t('watches.remove')}
          danger
          onConfirm={() => change.mutate({ run: () => call('DELETE /api/watches/{watch_id}', { params }) })}
          onClose={close}
        />
      )}
    </li>
  )
}

/** A figure that there is nothing of; of a table, no row counts, and that is well. */
function isOfNothing({ enabled, source, counts, problem, looked_at }: Watch): boolean {
  return enabled && source.kind === 'figure' && looked_at !== null && problem === null && counts.all === 0
}

function WatchState({ watch }: { readonly watch: Watch }) {
  const { enabled, counts, problem, looked_at } = watch
  const [tone, label] = ((): [Tone, string] => {
    if (!enabled) return ['neutral', t('watches.is_off')]
    if (counts.crossed > 0) return ['danger', t('watches.is_crossed', { count: counts.crossed })]
    if (problem !== null) return ['warn', t('watches.is_unknown')]
    if (looked_at === null) return ['info', t('watches.not_yet')]
    if (counts.pending > 0) return ['info', t('watches.is_pending', { count: counts.pending })]
    if (counts.unknown > 0) return ['warn', t('watches.is_partly_unknown', { count: counts.unknown })]
    if (isOfNothing(watch)) return ['neutral', t('watches.is_nothing')]
    return ['ok', t('watches.is_ok')]
  })()
  return <Status tone={tone} label={label} />
}
