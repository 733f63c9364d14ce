import { useRouter } from '@tanstack/react-router'
import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { t } from '../../text/i18n.ts'
import { toast } from '../../parts/feedback/toast.tsx'
import { forgetSession } from '../../client/session-end.ts'

/** Ends the session here and on the server, then shows the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const router = useRouter()
  return async () => {
    try {
      await call('POST /api/auth/logout')
    } catch (error) {
      return toast({ text: `${t('user.sign_out_failed')}. ${explainError(error)}`, tone: 'danger' })
    }
    await router.navigate({ to: '/login' })
    forgetSession()
  }
}
