import { t } from '../../i18n.ts'
import { Panel } from '../../parts/panel.tsx'
import { RelativeTime } from '../../parts/relative-time.tsx'
import { Section } from '../../parts/section.tsx'
import type { MyMethods } from '../account-queries.ts'

/** The person's accounts at a provider; who is linked to whom is the operator's to say. */
export function OpenidAccounts({ methods: { openid, password } }: { readonly methods: MyMethods }) {
  return (
    <Section title={t('account.openid')}>
      {!password && <p className="text-muted mb-3">{t('account.openid_only')}</p>}
      <Panel>
        <ul className="divide-line divide-y">
          {openid.map(({ issuer, last_used_at: at }) => (
            <li key={issuer} className="px-4 py-3">
              <p className="font-medium break-all">{issuer}</p>
              <p className="text-muted text-sm">
                {t('account.last_used')} <RelativeTime at={at} />
              </p>
            </li>
          ))}
        </ul>
      </Panel>
    </Section>
  )
}
