import { type SubmitEvent, useId, useState } from 'react'
import { ApiError } from '../client/api-error.ts'
import { call } from '../client/api.ts'
import { explainError } from '../client/explain-error.ts'
import { Button } from '../parts/controls/button.tsx'
import { SelectField } from '../parts/controls/select-field.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { Dialog } from '../parts/layout/dialog.tsx'
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
  const formId = useId()
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
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
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
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={host === null ? t('hosts.add') : t('hosts.edit_title', { name: host.name })}
      {...(host === null && { description: t('hosts.add_text') })}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" disabled={!isComplete(draft)} busy={change.isPending}>
            {t(host === null ? 'hosts.add_submit' : 'action.save')}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={onSubmit} noValidate className="space-y-4">
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
      </form>
    </Dialog>
  )
}
