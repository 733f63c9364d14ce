import { useMutation, useQuery } from '@tanstack/react-query'
import { useId, useState, type FormEvent } from 'react'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { CopyButton } from '../../parts/controls/copy-button.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { QrCode } from './qr-code.tsx'

interface TotpDialogProps {
  onClose(): void
  /** Set once the factor is on; these are shown only once. */
  onDone(backupCodes: readonly string[]): void
}

/** Sets up an authenticator app: first the QR code or secret, then a code that proves it works. */
export function TotpDialog({ onClose, onDone }: TotpDialogProps) {
  const form = useId()
  const [code, setCode] = useState('')
  const begun = useQuery({
    queryKey: ['account', 'totp', form],
    queryFn: () => call('POST /api/auth/totp', { body: {} }),
    // The secret shown is the one to confirm, so it is not fetched again; it is not cached.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: false,
  })
  const confirm = useMutation({
    mutationFn: () => call('POST /api/auth/totp/confirm', { body: { code } }),
    onSuccess: ({ backup_codes }) => onDone(backup_codes),
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (code.trim() !== '' && !confirm.isPending) confirm.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('account.totp_begin')}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            type="submit"
            form={form}
            variant="primary"
            disabled={code.trim() === '' || begun.data === undefined}
            busy={confirm.isPending}
          >
            {t('account.totp_confirm')}
          </Button>
        </>
      }
    >
      <QueryView
        query={begun}
        failed={t('account.totp_failed')}
        loading={<SkeletonRows rows={1} className="h-64 rounded-lg" />}
      >
        {({ secret, uri }) => (
          <form id={form} onSubmit={submit} className="space-y-5">
            <div className="space-y-3">
              <p>{t('account.totp_scan')}</p>
              <QrCode text={uri} label={t('account.totp_qr')} />
              <div>
                <p className="text-muted text-sm">{t('account.totp_secret')}</p>
                <p className="mt-1 flex items-start gap-2">
                  <code className="font-mono break-words">{secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
                  <CopyButton text={secret} label={t('account.totp_secret_copy')} />
                </p>
              </div>
            </div>
            {confirm.isError && <ErrorNotice title={t('account.totp_failed')} error={confirm.error} />}
            <TextField
              label={t('account.totp_code')}
              hint={t('account.totp_code_hint')}
              value={code}
              onChange={setCode}
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={10}
              className="max-w-72"
              required
            />
          </form>
        )}
      </QueryView>
    </Dialog>
  )
}
