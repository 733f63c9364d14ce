import { useQuery } from '@tanstack/react-query'
import { t } from '../../text/i18n.ts'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { myMethodsQuery } from '../account-queries.ts'
import { OpenidAccounts } from './openid-accounts.tsx'
import { Passkeys } from './passkeys.tsx'
import { PasswordForm } from './password-form.tsx'
import { SecondFactor } from './second-factor.tsx'

/** How the user signs in: password, second factor, passkeys, provider. */
export function SignInPart() {
  const query = useQuery(myMethodsQuery)
  return (
    <div className="max-w-2xl">
      <QueryView
        query={query}
        failed={t('account.methods_failed')}
        loading={<SkeletonRows rows={3} className="h-28 rounded-lg" />}
      >
        {(methods) => (
          <div className="space-y-8">
            {methods.openid.length > 0 && <OpenidAccounts methods={methods} />}
            {methods.password && <PasswordForm />}
            <SecondFactor methods={methods} />
            <Passkeys unavailable={methods.passkeys_unavailable} />
          </div>
        )}
      </QueryView>
    </div>
  )
}
