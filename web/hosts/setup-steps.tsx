import { ScanLine } from 'lucide-react'
import type { ReactNode } from 'react'
import { call } from '../client/api.ts'
import { Button } from '../parts/controls/button.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { Notice } from '../parts/feedback/notice.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { t } from '../text/i18n.ts'
import type { Host } from './hosts-query.ts'
import { PasteKey } from './paste-key.tsx'
import { SetupScript } from './setup-script.tsx'
import { ShowKeysCommand } from './show-keys-command.tsx'
import { useHostChange } from './use-host-change.ts'
import { usePin } from './use-pin.ts'

/**
 * The way from a name and an address to a machine that is well: the script, its host key, the first sign-in. Nothing signs
 * in before the key is pinned, so there is no first time at which it would be believed.
 */
export function SetupSteps({ host }: { readonly host: Host }) {
  return (
    <section aria-labelledby="hosts-setup">
      <h3 id="hosts-setup" className="mb-2 font-semibold">
        {t('hosts.setup')}
      </h3>
      <Panel>
        <ol className="divide-line divide-y">
          <Step number={1} title={t('hosts.setup_script')}>
            <p className="mb-3 max-w-prose">{t('hosts.setup_script_text')}</p>
            <SetupScript host={host} />
          </Step>
          <Step number={2} title={t('hosts.setup_key')}>
            <PasteKey host={host} />
            <ScannedKey host={host} />
          </Step>
          <Step number={3} title={t('hosts.setup_check')}>
            <p className="text-muted max-w-prose">{t('hosts.setup_check_text')}</p>
          </Step>
        </ol>
      </Panel>
    </section>
  )
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="flex gap-3 px-4 py-4">
      <span
        aria-hidden
        className="bg-sunken text-muted tabular flex size-6 shrink-0 items-center justify-center rounded-full text-sm"
      >
        {number}
      </span>
      <div className="min-w-0 flex-1">
        <h4 className="mb-1.5 font-medium">{title}</h4>
        {children}
      </div>
    </li>
  )
}

/** The other way: the key that it shows over the network, which only a comparison there makes worth anything. */
function ScannedKey({ host }: { readonly host: Host }) {
  const scan = useHostChange()
  const pin = usePin(host)
  const { offered } = host
  return (
    <div className="border-line mt-5 space-y-3 border-t pt-4">
      <p className="max-w-prose">{t('hosts.scan_text')}</p>
      {scan.isError && <ErrorNotice title={t('hosts.scan_failed')} error={scan.error} />}
      {pin.isError && <ErrorNotice title={t('hosts.pin_failed')} error={pin.error} />}
      {offered === null && host.problem !== null && (
        <Notice tone="danger" title={t('hosts.scan_failed')}>
          {host.problem}
        </Notice>
      )}
      {offered !== null && (
        <Notice
          tone="info"
          title={t('hosts.scan_shown', { algorithm: offered.algorithm })}
          actions={
            <Button busy={pin.isPending} onClick={() => pin.mutate({ fingerprint: offered.fingerprint })}>
              {t('hosts.pin_same')}
            </Button>
          }
        >
          <code className="block text-sm break-all">{offered.fingerprint}</code>
          <p className="mt-2">{t('hosts.scan_compare')}</p>
          <ShowKeysCommand />
        </Notice>
      )}
      <Button
        icon={ScanLine}
        busy={scan.isPending}
        onClick={() =>
          scan.mutate({
            run: () => call('POST /api/admin/hosts/{host_id}/scan', { params: { host_id: host.host_id } }),
          })
        }
      >
        {t(offered === null ? 'hosts.scan' : 'hosts.scan_again')}
      </Button>
    </div>
  )
}
