import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../client/api.ts'
import { TextField } from '../../parts/controls/text-field.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { FormDialog } from '../../parts/layout/form-dialog.tsx'
import { t } from '../../text/i18n.ts'
import type { Channel } from './channel-draft.ts'

/** Sends a message through a channel, and says how it fared. */
export function TestDialog({ channel, onClose }: { readonly channel: Channel; onClose(): void }) {
  const { channel_id, kind, name, target } = channel
  const [to, setTo] = useState(target ?? '')
  const client = useQueryClient()
  const needsAddress = kind === 'smtp'
  const test = useMutation({
    mutationFn: () =>
      call('POST /api/admin/channels/{channel_id}/test', {
        params: { channel_id },
        body: needsAddress ? { to: to.trim() } : {},
      }),
    onSettled: () => client.invalidateQueries({ queryKey: ['notifications'] }),
  })
  const onSubmit = (): void => {
    if (!test.isPending && (!needsAddress || to.includes('@'))) test.mutate()
  }
  return (
    <FormDialog
      title={t('channels.test_title', { name })}
      size="sm"
      onClose={onClose}
      onSubmit={onSubmit}
      submit={t('channels.send')}
      cancel={t('dialog.close')}
      busy={test.isPending}
      disabled={needsAddress && !to.includes('@')}
    >
      {needsAddress ? (
        <TextField
          label={t('channels.test_to')}
          value={to}
          onChange={setTo}
          inputMode="email"
          autoComplete="email"
          autoFocus
        />
      ) : (
        <p>{t('channels.test_text')}</p>
      )}
      <div aria-live="polite" className="empty:hidden">
        {test.isError && <ErrorNotice title={t('channels.test_failed')} error={test.error} />}
        {test.isSuccess && (
          <Notice
            tone={test.data.ok ? 'ok' : 'danger'}
            title={t(test.data.ok ? 'channels.test_ok' : 'channels.test_failed')}
          >
            {test.data.problem ?? t('channels.test_ok_text')}
          </Notice>
        )}
      </div>
    </FormDialog>
  )
}
