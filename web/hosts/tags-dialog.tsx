import { useState } from 'react'
import { call } from '../client/api.ts'
import { TextField } from '../parts/controls/text-field.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { FormDialog } from '../parts/layout/form-dialog.tsx'
import { t } from '../text/i18n.ts'
import { tagsProblem, typedTags } from './host-draft.ts'
import type { Host } from './hosts-query.ts'
import { useHostChange } from './use-host-change.ts'

/** The tags of the local machine, which is all that can be said about it. */
export function TagsDialog({ host, onClose }: { readonly host: Host; onClose(): void }) {
  const [text, setText] = useState(host.tags.join(', '))
  const change = useHostChange()
  const problem = tagsProblem(text)
  const onSubmit = (): void => {
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
    <FormDialog
      title={t('hosts.tags_edit')}
      size="sm"
      onClose={onClose}
      onSubmit={onSubmit}
      disabled={problem !== null}
      busy={change.isPending}
    >
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
    </FormDialog>
  )
}
