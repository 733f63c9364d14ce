import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState, type FormEvent } from 'react'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import type { Passkey } from '../account-queries.ts'
import { deviceName } from '../device-name.ts'
import { makePasskey } from '../passkey-ceremony.ts'

/** Names a passkey: a new one, which the browser then creates, or an existing one. */
export function PasskeyDialog({ passkey, onClose }: { readonly passkey: Passkey | null; onClose(): void }) {
  const form = useId()
  const queryClient = useQueryClient()
  const [name, setName] = useState(passkey?.name ?? deviceName(navigator.userAgent))
  const save = useMutation({
    mutationFn: async () => {
      if (passkey !== null) {
        const { passkey_id } = passkey
        return call('PATCH /api/auth/passkeys/{passkey_id}', { params: { passkey_id }, body: { name } })
      }
      const { options } = await call('POST /api/auth/passkeys/options', { body: {} })
      const credential = await makePasskey(options)
      return credential && call('POST /api/auth/passkeys', { body: { name, credential } })
    },
    onSuccess: (answer) => {
      if (answer === null) return
      void queryClient.invalidateQueries({ queryKey: ['account', 'passkeys'] })
      toast({ text: t(passkey === null ? 'account.passkey_added' : 'account.passkey_renamed', { name }), tone: 'ok' })
      onClose()
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (name.trim() !== '' && !save.isPending) save.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t(passkey === null ? 'account.passkey_add' : 'account.passkey_rename')}
      size="sm"
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" form={form} variant="primary" disabled={name.trim() === ''} busy={save.isPending}>
            {t(passkey === null ? 'account.passkey_make' : 'action.save')}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="space-y-4">
        {passkey === null && <p>{t('account.passkey_make_text')}</p>}
        {save.isError && <ErrorNotice title={t('account.passkey_failed')} error={save.error} />}
        {save.data === null && <Notice tone="info">{t('account.passkey_cancelled')}</Notice>}
        <TextField
          label={t('account.passkey_name')}
          hint={t('account.passkey_name_hint')}
          value={name}
          onChange={setName}
          maxLength={60}
          autoFocus
          required
        />
      </form>
    </Dialog>
  )
}
