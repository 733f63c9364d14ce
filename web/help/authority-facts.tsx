import { Download } from 'lucide-react'
import type { Output } from '../client/api-types.ts'
import { formatDate } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { ModuleFacts } from '../parts/layout/module-facts.tsx'
import { CopyButton } from '../parts/controls/copy-button.tsx'
import { Section } from '../parts/layout/section.tsx'
import { DownloadLink } from './download-link.tsx'

type Authority = NonNullable<Output<'GET /api/certificate'>['ca']>

/** The certificate to import: its subject, fingerprint, validity, and download link. */
export function AuthorityFacts({ authority }: { readonly authority: Authority }) {
  return (
    <Section
      title={t('certificates.authority')}
      actions={
        <DownloadLink href="/certificate/download" icon={Download}>
          {t('certificates.download')}
        </DownloadLink>
      }
    >
      <ModuleFacts
        facts={[
          [t('certificates.subject'), authority.subject],
          [
            t('certificates.fingerprint'),
            <span key="fingerprint" className="flex items-start gap-2">
              <code className="min-w-0 flex-1 text-sm break-all">{authority.fingerprint_sha256}</code>
              <CopyButton text={authority.fingerprint_sha256} label={t('certificates.copy_fingerprint')} />
            </span>,
          ],
          [
            t('certificates.validity'),
            t('certificates.from_to', {
              from: formatDate(authority.not_before),
              to: formatDate(authority.not_after),
            }),
          ],
        ]}
      />
      <p className="text-muted mt-2 text-sm">{t('certificates.compare')}</p>
    </Section>
  )
}
