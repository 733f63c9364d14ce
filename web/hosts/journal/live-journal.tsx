import { Pause, Play, RotateCw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { JOURNAL_LIMITS } from '../../../contract/journal-values.ts'
import { Button } from '../../parts/controls/button.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { Status } from '../../parts/feedback/status.tsx'
import { FilterBar } from '../../parts/filters/filter-bar.tsx'
import { FilterChoice } from '../../parts/filters/filter-choice.tsx'
import { FilterText } from '../../parts/filters/filter-text.tsx'
import { formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import type { Host } from '../hosts-query.ts'
import { JournalLines } from './journal-lines.tsx'
import type { JournalRow } from './journal-rows.ts'
import { type JournalFilter, type JournalState, useJournal } from './use-journal.ts'

const ALL: JournalFilter = { unit: '', priority: '', contains: '' }

/** The log of a machine as it is written: by unit, priority and text. Pausing holds the view, not what is kept of it. */
export function LiveJournal({ host, actions }: { readonly host: Host; readonly actions?: ReactNode }) {
  const [filter, setFilter] = useState(ALL)
  const [turn, setTurn] = useState(0)
  const [held, setHeld] = useState<readonly JournalRow[] | null>(null)
  const { state, path, rows } = useJournal(host.host_id, filter, turn)
  const follow = (next: JournalFilter): void => {
    setHeld(null)
    setFilter(next)
  }
  const again = (): void => {
    setHeld(null)
    setTurn(turn + 1)
  }
  const waiting = held === null ? 0 : (rows.at(-1)?.key ?? 0) - (held.at(-1)?.key ?? 0)
  const over = state.kind === 'ended' || state.kind === 'failed'
  return (
    <div className="space-y-3">
      <FilterBar
        search={{
          label: t('journal.search'),
          value: filter.contains,
          onChange: (contains) => follow({ ...filter, contains }),
        }}
        set={[filter.unit, filter.priority, filter.contains].filter(Boolean).length}
        onClear={() => follow(ALL)}
        count={null}
      >
        <FilterText
          label={t('journal.unit')}
          value={filter.unit}
          placeholder="nginx.service"
          options={[]}
          onChange={(unit) => follow({ ...filter, unit })}
        />
        <FilterChoice
          label={t('journal.priority')}
          value={filter.priority}
          onChange={(priority) => follow({ ...filter, priority: priority as JournalFilter['priority'] })}
          any={t('journal.priority_any')}
          options={(['err', 'warning', 'notice'] as const).map((value) => ({
            value,
            label: t(`journal.priority_${value}`),
          }))}
        />
      </FilterBar>
      <div className="flex min-h-9 flex-wrap items-center gap-3">
        {over ? (
          <Button icon={RotateCw} onClick={again}>
            {t('journal.again')}
          </Button>
        ) : held === null ? (
          <Button icon={Pause} onClick={() => setHeld(rows)}>
            {t('journal.pause')}
          </Button>
        ) : (
          <Button icon={Play} onClick={() => setHeld(null)}>
            {t('journal.continue')}
          </Button>
        )}
        <p role="status" className="flex flex-wrap items-center gap-x-3">
          <Following state={state} held={held !== null} />
          {waiting > 0 && (
            <span className="text-muted tabular text-sm">
              {t('journal.new_lines', { count: formatNumber(waiting) })}
            </span>
          )}
        </p>
        <span className="ms-auto">{actions}</span>
      </div>
      {path !== null && <p className="text-muted text-sm break-all">{t('journal.file', { path })}</p>}
      {state.kind === 'failed' && <ErrorNotice title={t('journal.refused')} error={state.error} />}
      {state.kind === 'ended' && (
        <Notice
          tone={state.reason === 'lost' || state.reason === 'failed' || state.reason === 'silent' ? 'warn' : 'info'}
          title={t(`journal.ended_${state.reason}`, JOURNAL_LIMITS)}
        >
          {state.text === '' ? undefined : state.text}
        </Notice>
      )}
      <JournalLines rows={held ?? rows} label={t('journal.title')} />
    </div>
  )
}

function Following({ state, held }: { readonly state: JournalState; readonly held: boolean }) {
  if (state.kind === 'starting') return <Status tone="active" label={t('journal.starting')} moving />
  if (state.kind !== 'live') return null
  return held ? <Status tone="neutral" label={t('journal.paused')} /> : <Status tone="ok" label={t('journal.live')} />
}
