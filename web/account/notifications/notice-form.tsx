import { type SubmitEvent, useState } from 'react'
import { waitChoices } from '../../admin/notifications/wait-choices.ts'
import { call } from '../../client/api.ts'
import { Button } from '../../parts/controls/button.tsx'
import { CheckField } from '../../parts/controls/check-field.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { UnsavedChanges } from '../../parts/layout/unsaved-changes.tsx'
import { t } from '../../text/i18n.ts'
import { ownZone } from '../../text/own-zone.ts'
import { type NoticeSettings, useOwnChange } from './own-channels.ts'

/** Told at once; the others wait for a decision first. */
const NOTICES = ['routines', 'reports', 'reviews', 'watches', 'connections'] as const
const NIGHT = { from: '22:00', to: '07:00' }

/** Of what a mail tells, after how long, and when none comes. */
export function NoticeForm({ stored }: { readonly stored: NoticeSettings }) {
  const [draft, setDraft] = useState(stored)
  const [dirty, setDirty] = useState(false)
  const save = useOwnChange()
  const { quiet } = draft
  const change = (patch: Partial<NoticeSettings>): void => {
    setDraft({ ...draft, ...patch })
    setDirty(true)
    save.reset()
  }
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (save.isPending) return
    save.mutate({
      run: () => call('PATCH /api/notification-settings', { body: draft }),
      done: t('notices.saved'),
      after: () => setDirty(false),
    })
  }
  // Where nothing was chosen yet, the zone in which the person is.
  const withQuiet = (on: boolean): void =>
    change(on ? { quiet: NIGHT, zone: stored.quiet === null ? ownZone() : stored.zone } : { quiet: null })
  const zones = [...new Set([ownZone(), draft.zone, 'UTC', ...Intl.supportedValuesOf('timeZone')])]
  return (
    <Section title={t('notices.when')}>
      <form onSubmit={onSubmit} noValidate className="space-y-4">
        {save.isError && <ErrorNotice title={t('channels.not_saved')} error={save.error} />}
        <CheckField
          label={t('notices.of_own')}
          checked={draft.approval}
          onChange={(approval) => change({ approval })}
        />
        <CheckField label={t('notices.of_others')} checked={draft.vote} onChange={(vote) => change({ vote })} />
        {NOTICES.filter((kind) => draft[kind] !== undefined).map((kind) => (
          <CheckField
            key={kind}
            label={t(`notices.of_${kind}`)}
            checked={draft[kind] === true}
            onChange={(wanted) => change({ [kind]: wanted })}
          />
        ))}
        <SelectField
          label={t('notices.wait')}
          hint={t('notices.wait_hint')}
          value={String(draft.wait_s)}
          onChange={(wait) => change({ wait_s: Number(wait) })}
          options={waitChoices(draft.wait_s)}
          className="sm:max-w-80"
        />
        <CheckField
          label={t('notices.quiet')}
          hint={t('notices.quiet_hint')}
          checked={quiet !== null}
          onChange={withQuiet}
        />
        {quiet !== null && (
          <div className="grid gap-3 sm:grid-cols-3">
            <TextField
              label={t('notices.from')}
              type="time"
              value={quiet.from}
              onChange={(from) => change({ quiet: { ...quiet, from } })}
              required
            />
            <TextField
              label={t('notices.to')}
              type="time"
              value={quiet.to}
              onChange={(to) => change({ quiet: { ...quiet, to } })}
              required
            />
            <SelectField
              label={t('notices.zone')}
              value={draft.zone}
              onChange={(zone) => change({ zone })}
              options={zones.map((zone) => ({ value: zone, label: zone }))}
            />
          </div>
        )}
        <Button type="submit" variant="primary" busy={save.isPending} disabled={!dirty}>
          {t('action.save')}
        </Button>
      </form>
      <UnsavedChanges dirty={dirty} />
    </Section>
  )
}
