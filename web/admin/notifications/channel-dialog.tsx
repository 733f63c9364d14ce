import { useState } from 'react'
import { call } from '../../client/api.ts'
import { CheckField } from '../../parts/controls/check-field.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { FormDialog } from '../../parts/layout/form-dialog.tsx'
import { currentLanguage, t } from '../../text/i18n.ts'
import { LANGUAGE_CODES, LANGUAGE_NAMES } from '../../text/language-names.ts'
import {
  type Channel,
  type ChannelDraft,
  channelDraftOf,
  channelFaults,
  channelRequestOf,
  type Kind,
  KINDS,
} from './channel-draft.ts'
import { ChannelSecret } from './channel-secret.tsx'
import { useNotificationChange } from './channels-query.ts'

interface ChannelDialogProps {
  /** Null: a new one. */
  readonly channel: Channel | null
  /** There is a mail server already. */
  readonly hasServer: boolean
  onClose(): void
}

/** A shared channel: only the fields of its kind, each with what belongs into it. */
export function ChannelDialog({ channel, hasServer, onClose }: ChannelDialogProps) {
  const [draft, setDraft] = useState<ChannelDraft>(() => {
    const fresh = channelDraftOf(channel, currentLanguage() as Channel['language'])
    return channel === null && hasServer ? { ...fresh, kind: 'generic' } : fresh
  })
  const [checked, setChecked] = useState(false)
  const save = useNotificationChange()
  const faults = channelFaults(draft)
  const words = KINDS[draft.kind]
  const error = (fault: Parameters<typeof faults.has>[0]): string | null =>
    checked && faults.has(fault) ? t(`channels.wrong_${fault}`) : null
  const change = (patch: Partial<ChannelDraft>): void => {
    setDraft((before) => ({ ...before, ...patch }))
    save.reset()
  }
  const onSubmit = (): void => {
    setChecked(true)
    if (faults.size > 0 || save.isPending) return
    const body = channelRequestOf(draft)
    save.mutate({
      run: () =>
        channel === null
          ? call('POST /api/admin/channels', { body: { ...body, kind: draft.kind } })
          : call('PATCH /api/admin/channels/{channel_id}', { params: { channel_id: channel.channel_id }, body }),
      done: t('channels.saved'),
      after: onClose,
    })
  }
  const plain = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const
  return (
    <FormDialog
      title={channel === null ? t('channels.add') : t('channels.edit', { name: channel.name })}
      onClose={onClose}
      onSubmit={onSubmit}
      busy={save.isPending}
    >
      {save.isError && <ErrorNotice title={t('channels.not_saved')} error={save.error} />}
      {channel === null && (
        <SelectField
          label={t('channels.kind')}
          value={draft.kind}
          onChange={(kind) => change({ kind: kind as Kind })}
          options={kindsFor(hasServer)}
        />
      )}
      <TextField
        label={t('channels.name')}
        value={draft.name}
        onChange={(name) => change({ name })}
        error={error('name')}
        maxLength={80}
        {...plain}
      />
      <TextField
        label={t(words.address)}
        hint={t(words.address_hint)}
        value={draft.address}
        onChange={(address) => change({ address })}
        error={error('address')}
        placeholder={words.placeholder}
        inputMode="url"
        {...plain}
        className="[&_input]:font-mono"
      />
      {draft.kind === 'smtp' && (
        <>
          <TextField
            label={t('channels.sender')}
            value={draft.sender}
            onChange={(sender) => change({ sender })}
            error={error('sender')}
            placeholder="reeve@example.org"
            inputMode="email"
            {...plain}
          />
          <TextField
            label={t('channels.account')}
            hint={t('channels.account_hint')}
            value={draft.account}
            onChange={(account) => change({ account })}
            {...plain}
          />
        </>
      )}
      {words.secret !== null && (
        <ChannelSecret
          label={t(words.secret)}
          hint={words.secret_hint}
          stored={channel?.secret.configured === true ? channel.secret : null}
          value={draft.secret}
          error={error('secret')}
          onChange={(secret) => change({ secret })}
        />
      )}
      {(draft.kind === 'smtp' || draft.kind === 'matrix') && (
        <TextField
          label={t(draft.kind === 'matrix' ? 'channels.room' : 'channels.rules_to')}
          hint={draft.kind === 'matrix' ? undefined : t('channels.rules_to_hint')}
          value={draft.target}
          onChange={(target) => change({ target })}
          error={error('target')}
          placeholder={draft.kind === 'matrix' ? '!abc:example.org' : 'ops@example.org'}
          {...plain}
        />
      )}
      <SelectField
        label={t('preferences.language')}
        value={draft.language}
        onChange={(language) => change({ language: language as Channel['language'] })}
        options={LANGUAGE_CODES.map((code) => ({ value: code, label: LANGUAGE_NAMES[code] }))}
      />
      <CheckField
        label={t('channels.internal')}
        hint={t('channels.internal_hint')}
        checked={draft.internal}
        onChange={(internal) => change({ internal })}
      />
      <CheckField label={t('channels.enabled')} checked={draft.enabled} onChange={(enabled) => change({ enabled })} />
    </FormDialog>
  )
}

function kindsFor(hasServer: boolean) {
  const kinds = Object.keys(KINDS) as Kind[]
  return kinds.filter((kind) => kind !== 'smtp' || !hasServer).map((kind) => ({ value: kind, label: kindName(kind) }))
}

export function kindName(kind: Kind): string {
  return kind === 'smtp' ? t('channels.mail_server') : KINDS[kind].name
}
