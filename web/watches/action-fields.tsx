import { CheckField } from '../parts/controls/check-field.tsx'
import { SelectField } from '../parts/controls/select-field.tsx'
import { formatDuration } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import type { WatchDraft } from './watch-draft.ts'
import type { WatchOptions } from './watches-query.ts'

interface ActionFieldsProps {
  readonly draft: WatchDraft
  readonly options: WatchOptions
  /** A new one: it can still be shared. */
  readonly fresh: boolean
  onChange(patch: Partial<WatchDraft>): void
}

const REPEATS = [3600, 21_600, 86_400]

/** What happens when the bound is crossed. */
export function ActionFields({ draft, options, fresh, onChange }: ActionFieldsProps) {
  const { admin, routines } = options
  const share = (shared: boolean): void =>
    onChange({ shared, tell: shared && draft.tell === 'me' ? 'administrators' : draft.tell })
  const repeats = [...new Set([...REPEATS, ...(draft.repeat_s === null ? [] : [draft.repeat_s])])].toSorted(
    (a, b) => a - b,
  )
  return (
    <>
      {fresh && admin && draft.what !== 'table' && (
        <CheckField label={t('watches.share')} hint={t('watches.share_hint')} checked={draft.shared} onChange={share} />
      )}
      <SelectField
        label={t('watches.tell')}
        value={draft.tell}
        onChange={(tell) => onChange({ tell })}
        options={audiences(draft, options)}
      />
      {draft.tell !== '' && (
        <>
          <CheckField
            label={t('watches.on_recovery')}
            checked={draft.on_recovery}
            onChange={(on_recovery) => onChange({ on_recovery })}
          />
          <SelectField
            label={t('watches.repeat')}
            value={String(draft.repeat_s ?? '')}
            onChange={(value) => onChange({ repeat_s: value === '' ? null : Number(value) })}
            options={[
              { value: '', label: t('watches.repeat_never') },
              ...repeats.map((seconds) => ({
                value: String(seconds),
                label: t('watches.repeat_every', { time: formatDuration(seconds * 1000) }),
              })),
            ]}
          />
        </>
      )}
      {!draft.shared && routines.length > 0 && (
        <SelectField
          label={t('watches.routine')}
          value={draft.routine_id}
          onChange={(routine_id) => onChange({ routine_id })}
          options={[
            { value: '', label: t('watches.routine_none') },
            ...routines.map(({ routine_id, name }) => ({ value: routine_id, label: name })),
          ]}
        />
      )}
    </>
  )
}

function audiences(draft: WatchDraft, { admin, roles, channels, people }: WatchOptions) {
  const all = [
    { value: '', label: t('watches.tell_nobody') },
    ...(draft.shared ? [] : [{ value: 'me', label: t('watches.tell_me') }]),
    ...(admin
      ? [
          { value: 'administrators', label: t('watches.tell_administrators') },
          ...channels.map(({ channel_id, name }) => ({
            value: `c:${channel_id}`,
            label: t('watches.tell_channel', { name }),
          })),
          ...roles.map(({ role_id, name }) => ({ value: `r:${role_id}`, label: t('watches.tell_role', { name }) })),
          ...people.map(({ user_id, username, display_name }) => ({
            value: `p:${user_id}`,
            label: t('watches.tell_person', { name: display_name || username }),
          })),
        ]
      : []),
  ]
  // What is stored is among them even if it is there no more, or names several people.
  const { tell } = draft
  return all.some(({ value }) => value === tell) ? all : [...all, { value: tell, label: t('watches.tell_others') }]
}
