import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useId, useState } from 'react'
import { call } from '../../client/api.ts'
import { Button } from '../../parts/controls/button.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { t } from '../../text/i18n.ts'
import type { Channel } from './channel-draft.ts'

/** Sends a message through a channel, and says how it fared. */
export function TestDialog({ channel, onClose }: { readonly channel: Channel; onClose(): void }) {
  const { channel_id, kind, name, target } = channel
  const [to, setTo] = useState(target ?? '')
  const formId = useId()
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
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (!test.isPending && (!needsAddress || to.includes('@'))) test.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('channels.test_title', { name })}
      size="sm"
      actions={
        <>
          <Button onClick={onClose}>{t('dialog.close')}</Button>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            busy={test.isPending}
            disabled={needsAddress && !to.includes('@')}
          >
            {t('channels.send')}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={onSubmit} noValidate className="space-y-4">
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
      </form>
    </Dialog>
  )
}
