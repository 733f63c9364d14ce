import { t } from '../../text/i18n.ts'
import { Panel } from '../../parts/layout/panel.tsx'
import { RelativeTime } from '../../parts/feedback/relative-time.tsx'
import { Section } from '../../parts/layout/section.tsx'
import type { MyMethods } from '../account-queries.ts'

/** The user's accounts at a provider; only the operator can change the links. */
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
