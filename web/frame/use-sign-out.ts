import { useRouter } from '@tanstack/react-router'
import { call } from '../api.ts'
import { explainError } from '../explain-error.ts'
import { t } from '../i18n.ts'
import { toast } from '../parts/toast.tsx'
import { forgetSession } from '../session-end.ts'

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
