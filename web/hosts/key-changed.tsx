import { useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { CheckField } from '../parts/controls/check-field.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { Notice } from '../parts/feedback/notice.tsx'
import { formatDate } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import type { Host } from './hosts-query.ts'
import { PasteKey } from './paste-key.tsx'
import { SetupScript } from './setup-script.tsx'
import { ShowKeysCommand } from './show-keys-command.tsx'
import { usePin } from './use-pin.ts'

/**
 * A machine with another host key than the pinned one: set up anew, or another one that pretends to be it. Both keys are
 * seen side by side, and nobody pins the new one by one click.
 */
export function KeyChanged({ host }: { readonly host: Host }) {
  const [compared, setCompared] = useState(false)
  const pin = usePin(host)
  const { pinned, offered } = host
  if (pinned === null) return null
  return (
    <Notice tone="danger" title={t('hosts.changed_title')}>
      <p className="max-w-prose">{t('hosts.changed_text')}</p>
      <ShowKeysCommand />
      <dl className="mt-3 grid gap-3 sm:grid-cols-2">
        <KeyBox title={t('hosts.changed_pinned', { date: formatDate(pinned.at), name: pinned.by })} host_key={pinned} />
        {offered !== null && <KeyBox title={t('hosts.changed_offered')} host_key={offered} />}
      </dl>
      {offered === null ? (
        <div className="mt-4 space-y-4">
          <p className="max-w-prose">{t('hosts.changed_none')}</p>
          <SetupScript host={host} />
          <PasteKey host={host} />
        </div>
      ) : (
        <div className="mt-4 space-y-3">
          {pin.isError && <ErrorNotice title={t('hosts.pin_failed')} error={pin.error} />}
          <CheckField
            label={t('hosts.changed_compared')}
            hint={t('hosts.changed_compared_hint')}
            checked={compared}
            onChange={setCompared}
          />
          <Button
            variant="danger"
            disabled={!compared}
            busy={pin.isPending}
            onClick={() => pin.mutate({ fingerprint: offered.fingerprint })}
          >
            {t('hosts.pin_new')}
          </Button>
        </div>
      )}
    </Notice>
  )
}

function KeyBox({ title, host_key }: { title: string; host_key: { algorithm: string; fingerprint: string } }) {
  return (
    <div className="bg-surface border-line min-w-0 rounded-md border px-3 py-2">
      <dt className="text-muted text-sm">{title}</dt>
      <dd>
        <span className="text-sm">{host_key.algorithm}</span>
        <code className="block text-sm break-all">{host_key.fingerprint}</code>
      </dd>
    </div>
  )
}
