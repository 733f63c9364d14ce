import { useState } from 'react'
import { ApiError } from '../client/api-error.ts'
import { call } from '../client/api.ts'
import { explainError } from '../client/explain-error.ts'
import { SelectField } from '../parts/controls/select-field.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { FormDialog } from '../parts/layout/form-dialog.tsx'
import { t } from '../text/i18n.ts'
import { isLocal } from './find-hosts.ts'
import { draftOf, type HostDraft, isComplete, NEW_HOST, problemsOf, requestOf } from './host-draft.ts'
import type { Host } from './hosts-query.ts'
import { useHostChange } from './use-host-change.ts'

interface HostDialogProps {
  /** Null: a new one. */
  readonly host: Host | null
  readonly hosts: readonly Host[]
  onClose(): void
  onSaved(host: Host): void
}

/** The form of a machine that is reached over SSH. Saving it connects to nothing. */
export function HostDialog({ host, hosts, onClose, onSaved }: HostDialogProps) {
  const [draft, setDraft] = useState<HostDraft>(host === null ? NEW_HOST : draftOf(host))
  const [left, setLeft] = useState<ReadonlySet<keyof HostDraft>>(new Set())
  const change = useHostChange<{ host: Host }>()
  const code = change.error instanceof ApiError ? change.error.code : null
  const problems = problemsOf(draft)
  const field = (name: keyof HostDraft, refusal: string | null = null) => ({
    value: draft[name],
    onChange: (value: string) => setDraft({ ...draft, [name]: value }),
    // While it is being typed, nothing is wrong yet.
    onBlur: () => setLeft(new Set([...left, name])),
    error: code !== null && code === refusal ? explainError(change.error) : left.has(name) ? problems[name] : null,
    autoComplete: 'off',
    autoCapitalize: 'none',
    spellCheck: false,
  })
  const onSubmit = (): void => {
    if (!isComplete(draft) || change.isPending) return
    const body = requestOf(draft)
    change.mutate({
      run: () =>
        host === null
          ? call('POST /api/admin/hosts', { body })
          : call('PATCH /api/admin/hosts/{host_id}', { params: { host_id: host.host_id }, body }),
      after: (answer) => onSaved(answer.host),
    })
  }
  const placed = code === 'host_exists' || code === 'host_jump'
  const others = hosts.filter((other) => !isLocal(other) && other.host_id !== host?.host_id)
  return (
    <FormDialog
      title={host === null ? t('hosts.add') : t('hosts.edit_title', { name: host.name })}
      {...(host === null && { description: t('hosts.add_text') })}
      onClose={onClose}
      onSubmit={onSubmit}
      submit={t(host === null ? 'hosts.add_submit' : 'action.save')}
      disabled={!isComplete(draft)}
      busy={change.isPending}
    >
      {change.isError && !placed && <ErrorNotice title={t('hosts.save_failed')} error={change.error} />}
      <TextField
        label={t('hosts.name')}
        hint={t('hosts.name_hint')}
        {...field('name', 'host_exists')}
        placeholder="web-1"
        required
        autoFocus
      />
      <div className="grid gap-4 sm:grid-cols-[1fr_7rem]">
        <TextField
          label={t('hosts.address')}
          {...field('address')}
          placeholder="web-1.example.org"
          inputMode="url"
          required
        />
        <TextField label={t('hosts.port')} {...field('port')} inputMode="numeric" required />
      </div>
      <TextField label={t('hosts.account')} hint={t('hosts.account_hint')} {...field('account')} required />
      {others.length > 0 && (
        <SelectField
          label={t('hosts.jump')}
          hint={t('hosts.jump_hint')}
          value={draft.jump}
          onChange={(jump) => setDraft({ ...draft, jump })}
          error={code === 'host_jump' ? explainError(change.error) : null}
          options={[
            { value: '', label: t('hosts.jump_none') },
            ...others.map(({ host_id, name }) => ({ value: host_id, label: name })),
          ]}
        />
      )}
      <TextField label={t('hosts.tags')} hint={t('hosts.tags_hint')} {...field('tags')} placeholder="web, berlin" />
    </FormDialog>
  )
}
