import { useQueryClient } from '@tanstack/react-query'
import { ShieldCheck, Smartphone } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { formatDate } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { Status } from '../../parts/feedback/status.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { call } from '../../client/api.ts'
import type { MyMethods } from '../account-queries.ts'
import { BackupCodesDialog } from './backup-codes-dialog.tsx'
import { ProofDialog } from './proof-dialog.tsx'

const TotpDialog = lazy(() => import('./totp-dialog.tsx').then((file) => ({ default: file.TotpDialog })))

/** With this few left, the user is told to create new ones. */
const FEW = 3

type Open = 'setup' | 'renew' | 'off' | { readonly codes: readonly string[] } | null

/** An authenticator app as the second factor: off, or on with backup codes. */
export function SecondFactor({ methods: { totp, password } }: { readonly methods: MyMethods }) {
  const queryClient = useQueryClient()
  const [open, setOpen] = useState<Open>(null)
  const refresh = () => void queryClient.invalidateQueries({ queryKey: ['account', 'methods'] })
  const close = () => setOpen(null)
  const showCodes = (codes: readonly string[]) => {
    setOpen({ codes })
    refresh()
  }
  return (
    <Section title={t('account.totp')}>
      <Panel className="space-y-3 p-4">
        {totp === null ? (
          <>
            <Status tone="neutral" label={t('account.totp_off')} />
            <p className="text-muted">{t('account.totp_text')}</p>
            <Button icon={Smartphone} onClick={() => setOpen('setup')}>
              {t('account.totp_begin')}
            </Button>
          </>
        ) : (
          <>
            <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <Status tone="ok" icon={ShieldCheck} label={t('account.totp_on')} />
              <span className="text-muted text-sm">
                {t('account.totp_since', { date: formatDate(totp.confirmed_at) })}
              </span>
            </p>
            {totp.backup_codes <= FEW ? (
              <Notice tone="warn">{t('account.codes_few', { count: totp.backup_codes })}</Notice>
            ) : (
              <p className="text-muted">{t('account.codes_left', { count: totp.backup_codes })}</p>
            )}
            <div className="flex flex-wrap gap-2">
              <Button onClick={() => setOpen('renew')}>{t('account.codes_renew')}</Button>
              <Button onClick={() => setOpen('off')}>{t('account.totp_end')}</Button>
            </div>
          </>
        )}
      </Panel>
      {open === 'setup' && (
        <Suspense fallback={null}>
          <TotpDialog onClose={close} onDone={showCodes} />
        </Suspense>
      )}
      {open === 'renew' && (
        <ProofDialog
          title={t('account.codes_renew')}
          text={t('account.codes_renew_text')}
          verb={t('account.codes_renew')}
          password={password}
          run={async (proof) => {
            const { backup_codes } = await call('POST /api/auth/totp/backup-codes', { body: proof })
            showCodes(backup_codes)
          }}
          onClose={close}
        />
      )}
      {open === 'off' && (
        <ProofDialog
          title={t('account.totp_end_title')}
          text={t('account.totp_end_text')}
          verb={t('account.totp_end')}
          password={password}
          danger
          run={async (proof) => {
            await call('POST /api/auth/totp/off', { body: proof })
            toast({ text: t('account.totp_ended'), tone: 'ok' })
            close()
            refresh()
          }}
          onClose={close}
        />
      )}
      {open !== null && typeof open === 'object' && <BackupCodesDialog codes={open.codes} onClose={close} />}
    </Section>
  )
}
