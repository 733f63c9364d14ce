import { type SubmitEvent, useState } from 'react'
import { Send, Trash2 } from 'lucide-react'
import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { Button } from '../../parts/controls/button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { Status } from '../../parts/feedback/status.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { t } from '../../text/i18n.ts'
import { type OwnChannel, useOwnChange } from './own-channels.ts'

/** One address: its code until it is confirmed, then a test. */
export function AddressRow({ channel, mail }: { readonly channel: OwnChannel; readonly mail: boolean }) {
  const { channel_id, address, verified_at, problem } = channel
  const [code, setCode] = useState('')
  const verify = useOwnChange()
  const send = useOwnChange()
  const remove = useOwnChange()
  const params = { channel_id }
  const confirmed = verified_at !== null
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (code.trim() === '' || verify.isPending) return
    verify.mutate({
      run: () => call('POST /api/channels/{channel_id}/verify', { params, body: { code: code.trim() } }),
      done: t('notices.confirmed_now'),
    })
  }
  const onSend = (): void =>
    send.mutate({
      run: async () => {
        const { ok } = await call('POST /api/channels/{channel_id}/test', { params })
        if (ok) toast({ text: t(confirmed ? 'notices.test_sent' : 'notices.code_sent'), tone: 'ok' })
      },
    })
  const failure = send.error ?? remove.error
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex items-start gap-3">
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
          <span className="min-w-0 flex-1 basis-48 font-medium break-all">{address}</span>
          <Status tone={confirmed ? 'ok' : 'warn'} label={t(confirmed ? 'notices.confirmed' : 'notices.unconfirmed')} />
          <Button size="sm" icon={Send} busy={send.isPending} disabled={!mail} onClick={onSend}>
            {t(confirmed ? 'channels.test' : 'notices.new_code')}
          </Button>
        </div>
        <IconButton
          label={t('notices.remove', { address })}
          icon={Trash2}
          size="sm"
          onClick={() => remove.mutate({ run: () => call('DELETE /api/channels/{channel_id}', { params }) })}
        />
      </div>
      {!confirmed && (
        <form onSubmit={onSubmit} noValidate className="flex items-start gap-2">
          <TextField
            label={t('notices.code')}
            hint={t('notices.code_hint')}
            value={code}
            onChange={(value) => {
              setCode(value)
              verify.reset()
            }}
            error={verify.isError ? explainError(verify.error) : null}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={20}
            className="min-w-0 flex-1"
          />
          <Button type="submit" variant="primary" busy={verify.isPending} className="mt-7">
            {t('notices.confirm')}
          </Button>
        </form>
      )}
      <div role="alert" className="text-danger text-sm break-words empty:hidden">
        {failure !== null ? explainError(failure) : problem !== null && `${t('channels.failed')}: ${problem}`}
      </div>
    </li>
  )
}
