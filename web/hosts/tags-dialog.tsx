import { type SubmitEvent, useId, useState } from 'react'
import { call } from '../client/api.ts'
import { Button } from '../parts/controls/button.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { Dialog } from '../parts/layout/dialog.tsx'
import { t } from '../text/i18n.ts'
import { tagsProblem, typedTags } from './host-draft.ts'
import type { Host } from './hosts-query.ts'
import { useHostChange } from './use-host-change.ts'

/** The tags of the local machine, which is all that can be said about it. */
export function TagsDialog({ host, onClose }: { readonly host: Host; onClose(): void }) {
  const [text, setText] = useState(host.tags.join(', '))
  const formId = useId()
  const change = useHostChange()
  const problem = tagsProblem(text)
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (problem !== null || change.isPending) return
    change.mutate({
      run: () =>
        call('PATCH /api/admin/hosts/{host_id}', {
          params: { host_id: host.host_id },
          body: { tags: typedTags(text) },
        }),
      after: onClose,
    })
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('hosts.tags_edit')}
      size="sm"
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" disabled={problem !== null} busy={change.isPending}>
            {t('action.save')}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={onSubmit} className="space-y-4">
        {change.isError && <ErrorNotice title={t('hosts.save_failed')} error={change.error} />}
        <TextField
          label={t('hosts.tags')}
          hint={t('hosts.tags_hint')}
          value={text}
          onChange={setText}
          error={problem}
          placeholder="web, berlin"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
        />
      </form>
    </Dialog>
  )
}
