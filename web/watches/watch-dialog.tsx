import { useMutation, useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useId, useState } from 'react'
import { call } from '../client/api.ts'
import { watchOptionsQuery, useWatchChange, type Watch, type WatchOptions } from './watches-query.ts'
import { Button } from '../parts/controls/button.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { Dialog } from '../parts/layout/dialog.tsx'
import { t } from '../text/i18n.ts'
import { ActionFields } from './action-fields.tsx'
import { ConditionFields } from './condition-fields.tsx'
import { SourceFields } from './source-fields.tsx'
import { TriedList } from './tried-list.tsx'
import { actionOf, sourceOf, type WatchDraft, watchDraftOf, type WatchFault, watchFaults } from './watch-draft.ts'
import { watchName } from './watch-words.ts'

const NO_OPTIONS: WatchOptions = { admin: false, roles: [], channels: [], people: [], routines: [] }

/** A form for a watch; null: a new one. *Look now* shows what it would see, and which columns a table has. */
export function WatchDialog({ watch, onClose }: { readonly watch: Watch | null; onClose(): void }) {
  const [draft, setDraft] = useState<WatchDraft>(() => watchDraftOf(watch))
  const [checked, setChecked] = useState(false)
  const options = useQuery(watchOptionsQuery).data ?? NO_OPTIONS
  const formId = useId()
  const save = useWatchChange()
  const look = useMutation({ mutationFn: () => call('POST /api/watches/try', { body: sourceOf(draft) }) })
  const faults = watchFaults(draft)
  const error = (fault: WatchFault): string | null =>
    checked && faults.has(fault) ? t(`watches.wrong_${fault}`) : null
  const change = (patch: Partial<WatchDraft>): void => {
    setDraft((before) => ({ ...before, ...patch }))
    save.reset()
  }
  const preset = watch?.preset ?? null
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    setChecked(true)
    if (faults.size > 0 || save.isPending) return
    const { source, condition } = sourceOf(draft)
    const rest = { condition, interval_s: draft.interval_s, action: actionOf(draft) }
    const named = { name: draft.name.trim(), source }
    save.mutate({
      run: () =>
        watch === null
          ? call('POST /api/watches', { body: { ...named, ...rest, shared: draft.shared } })
          : call('PATCH /api/watches/{watch_id}', {
              params: { watch_id: watch.watch_id },
              body: preset === null ? { ...named, ...rest } : rest,
            }),
      done: t('watches.saved'),
      after: onClose,
    })
  }
  const lookNow = (): void => {
    setChecked(true)
    const only = [...faults].filter((fault) => fault !== 'name')
    if (only.length === 0) look.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={watch === null ? t('watches.add') : t('watches.edit', { name: watchName(watch) })}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={save.isPending}>
            {t('action.save')}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={onSubmit} noValidate className="space-y-4">
        {save.isError && <ErrorNotice title={t('watches.not_saved')} error={save.error} />}
        {preset === null && (
          <>
            <TextField
              label={t('watches.name')}
              value={draft.name}
              onChange={(name) => change({ name })}
              error={error('name')}
              maxLength={80}
              autoComplete="off"
            />
            <SourceFields
              draft={draft}
              admin={options.admin}
              columns={look.data?.columns ?? []}
              error={error}
              onChange={change}
            />
          </>
        )}
        <ConditionFields draft={draft} error={error} onChange={change} />
        <div className="space-y-2">
          <Button size="sm" busy={look.isPending} onClick={lookNow}>
            {t('watches.look_now')}
          </Button>
          {look.isError && <ErrorNotice title={t('watches.not_looked')} error={look.error} />}
          {look.data !== undefined && <TriedList tried={look.data} source={sourceOf(draft).source} />}
        </div>
        <ActionFields draft={draft} options={options} fresh={watch === null} onChange={change} />
      </form>
    </Dialog>
  )
}
