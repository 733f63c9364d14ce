import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { call } from '../client/api.ts'
import type { Output } from '../client/api-types.ts'
import { CopyButton } from '../parts/controls/copy-button.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { ModuleFacts } from '../parts/layout/module-facts.tsx'
import { Section } from '../parts/layout/section.tsx'
import { formatDate } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { DownloadLink } from './download-link.tsx'

type Key = Output<'GET /api/signing-keys'>['items'][number]

/** The keys by which receipts are verified: the one in use, and those before it. */
export function SigningKeys() {
  const keys = useQuery({
    queryKey: ['signing-keys'],
    queryFn: ({ signal }) => call('GET /api/signing-keys', { signal }),
  })
  return (
    <Section
      title={t('receipt.keys')}
      actions={
        <DownloadLink href="/certificate/signing-keys.pem" icon={Download}>
          {t('receipt.keys_download')}
        </DownloadLink>
      }
    >
      <QueryView query={keys} failed={t('receipt.keys_failed')} loading={<SkeletonRows rows={2} />}>
        {({ items }) => (
          <div className="space-y-3">
            {items.map((key) => (
              <KeyFacts key={key.key_id} signing={key} />
            ))}
          </div>
        )}
      </QueryView>
      <p className="text-muted mt-2 text-sm">{t('receipt.keys_text')}</p>
    </Section>
  )
}

function KeyFacts({ signing }: { readonly signing: Key }) {
  const { fingerprint_sha256: fingerprint, created_at: from, retired_at: to } = signing
  return (
    <ModuleFacts
      facts={[
        [
          t('certificates.fingerprint'),
          <span key="fingerprint" className="flex items-start gap-2">
            <code className="min-w-0 flex-1 text-sm break-all">{fingerprint}</code>
            <CopyButton text={fingerprint} label={t('certificates.copy_fingerprint')} />
          </span>,
        ],
        to === null
          ? [t('receipt.key_since'), formatDate(from)]
          : [t('receipt.key_before'), t('certificates.from_to', { from: formatDate(from), to: formatDate(to) })],
      ]}
    />
  )
}
