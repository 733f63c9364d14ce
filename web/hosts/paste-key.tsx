import { type SubmitEvent, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { TextArea } from '../parts/controls/text-area.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { t } from '../text/i18n.ts'
import type { Host } from './hosts-query.ts'
import { usePin } from './use-pin.ts'

/** The line that the script printed: brought from the machine itself, it needs no comparing. */
export function PasteKey({ host }: { readonly host: Host }) {
  const [line, setLine] = useState('')
  const pin = usePin(host)
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (line.trim() !== '' && !pin.isPending) pin.mutate({ host_key: line.trim() })
  }
  return (
    <form onSubmit={onSubmit} className="space-y-3">
      {pin.isError && <ErrorNotice title={t('hosts.pin_failed')} error={pin.error} />}
      <TextArea
        label={t('hosts.key_line')}
        hint={t('hosts.key_line_hint')}
        value={line}
        onChange={setLine}
        rows={3}
        placeholder="ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI…"
        spellCheck={false}
        autoComplete="off"
        className="[&_textarea]:font-mono [&_textarea]:text-sm"
      />
      <Button type="submit" variant="primary" disabled={line.trim() === ''} busy={pin.isPending}>
        {t('hosts.pin')}
      </Button>
    </form>
  )
}
